"""A tiny domain in the dialect of ALFWorld's, to show constructs that its one real domain does not have."""

from __future__ import annotations

DOMAIN = """
(define (domain tiny)
  (:requirements :adl :typing)
  (:types agent location receptacle thing - object cup - thing)
  (:predicates
    (atLocation ?a - agent ?l - location) (receptacleAtLocation ?r - receptacle ?l - location)
    (inReceptacle ?o - thing ?r - receptacle) (holds ?a - agent ?o - thing) (holdsAny ?a - agent) (full ?o - thing))
  (:functions (total-cost) - number)
  (:action GotoLocation
    :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
    :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd))
    :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd) (increase (total-cost) 1)))
  (:action PickupObject
    :parameters (?a - agent ?l - location ?o - thing ?r - receptacle)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r) (not (holdsAny ?a)))
    :effect (and (not (inReceptacle ?o ?r)) (holds ?a ?o) (holdsAny ?a)))
  (:action PutObject
    :parameters (?a - agent ?l - location ?o - thing ?r - receptacle)
    :precondition (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (holds ?a ?o))
    :effect (and (inReceptacle ?o ?r) (not (holds ?a ?o)) (not (holdsAny ?a))))
  EXTRA)
"""

PROBLEM = """
(define (problem p) (:domain tiny)
  (:objects agent1 - agent loc_bar_0 - location loc_bar_1 - location loc_bar_2 - location
    shelf_bar_1 - receptacle desk_bar_1 - receptacle MUG mug_bar_2 pen_bar_1 - thing)
  (:init (= (total-cost) 0) (atLocation agent1 loc_bar_0)
    (receptacleAtLocation shelf_bar_1 loc_bar_1) (receptacleAtLocation desk_bar_1 loc_bar_2)
    (inReceptacle mug_bar_1 shelf_bar_1) (inReceptacle mug_bar_2 shelf_bar_1) (inReceptacle pen_bar_1 desk_bar_1))
  (:goal GOAL)
  (:metric minimize (total-cost)))
"""

GOAL = "(inReceptacle pen_bar_1 shelf_bar_1)"

GRAMMAR = '''
grammar :: """{
  "intro": [{"rhs": "A room with [{r.name | receptacleatlocation(r:receptacle, l:location)}]. Your task is to: tidy."}],
  "inside": [{"condition": "inreceptacle(o:thing, r:receptacle)",
              "rhs": "There is [{o.indefinite + ' ' + o.name | inreceptacle(o:thing, r:receptacle)}]."},
             {"rhs": "There is nothing."}],
  "list_empty": [{"rhs": "nothing"}], "list_separator": [{"rhs": ", "}], "list_last_separator": [{"rhs": ", and "}]
}""";
action GotoLocation { template :: "go to {r}"; feedback :: "You are at the {r.name}. #inside#"; }
action PickupObject { template :: "take {o} from {r}"; feedback :: "You have {o.definite} {o.name}."; }
action PutObject { template :: "move {o} to {r}"; feedback :: "You put {o.name} down. #inside#"; }
'''


def tiny(
    goal: str = GOAL, extra: str = "", domain: str = DOMAIN, grammar: str = GRAMMAR, mug: str = "mug_bar_1"
) -> dict[str, object]:
    """Game data; `extra` stands at the end of the domain, `mug` declares the first mug."""
    return {
        "pddl_domain": domain.replace("EXTRA", extra),
        "pddl_problem": PROBLEM.replace("GOAL", goal).replace("MUG", mug),
        "grammar": grammar,
    }


def filling() -> dict[str, object]:
    """The tiny game with mugs to fill: a disjunction, an existential, a negation, an inequality, a subtype."""
    actions = """(:action Fill :parameters (?a - agent ?o - object)
      :precondition (or (holds ?a ?o) (exists (?r - receptacle ?l - location)
        (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l) (inReceptacle ?o ?r) (not (full ?o)))))
      :effect (full ?o))
    (:action Rinse :parameters (?a - agent ?o - cup) :precondition (holds ?a ?o) :effect (not (full ?o)))"""
    grammar = (
        GRAMMAR
        + """
    action Fill { template :: "fill {o}"; feedback :: "The {o.name} is full."; }
    action Rinse { template :: "rinse {o}"; feedback :: "Rinsed."; }
    """
    )
    goal = "(exists (?o1 ?o2 - thing) (and (not (= ?o1 ?o2)) (full ?o1) (full ?o2) (not (holdsAny agent1))))"
    return tiny(goal, actions, grammar=grammar)
