"""Running a recorded episode again: its plug-ins and environment anew, its models' answers from the record.

All chance of a run is a hash of where it is drawn, so that nothing but the answers of models is left open once a record
is there. What a method did, what its critics said and what its models were asked follows from them, and is compared.
"""
