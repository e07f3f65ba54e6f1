"""What training enters into the catalogue. Light: imports no piece and no torch."""

from __future__ import annotations

from cornerman.registry import Registry

AT = "cornerman_plugins.trainers"

REWARDS: list[tuple[str, str, str, str]] = [
    ("outcome", "outcome:outcome", "the attempt's score", ""),
    ("signed-success", "outcome:signed_success", "1 for a solved task, else −1", "RLAnything, arXiv 2602.02488"),
    ("linear-gain", "gain:linear_gain", "the score gained on the attempt before", "ECHO's ablation, arXiv 2601.06794"),
    ("log-gain", "gain:log_gain", "the gain, worth more near the top", "ECHO, arXiv 2601.06794"),
    ("positive-gain", "gain:positive_gain", "the gain where there is one", ""),
    ("success-or-gain", "gain:success_or_gain", "1 for a solved revision, else the gain", "ICRL, arXiv 2605.15224"),
    ("transition", "gain:transition", "wrong made right, right kept right", "Critique-RL, arXiv 2510.24320"),
    ("call-skip", "call_skip:call_skip_utility", "the score and what asking was worth", "CAFE, arXiv 2608.24794"),
    ("verdict-match", "verdicts:verdict_match", "1 for a true verdict", "Critique-RL, arXiv 2510.24320"),
    ("refine-verdict", "verdicts:refine_verdict", "the refined score and the verdict", "Critique-RL, arXiv 2510.24320"),
    ("gated-outcome", "verdicts:gated_outcome", "the score, if a verdict was given", "CTRL, arXiv 2502.03492"),
    ("step-verdicts", "verdicts:step_verdicts", "outcome and verdicts by turn", "RLAnything, arXiv 2602.02488"),
    ("score-verdict", "verdicts:score_verdict", "a verdict times the turn's reward", "RLAnything, arXiv 2602.02488"),
    ("judge", "judged:judge", "a judge's score", "TAIScore, arXiv 2608.30397"),
    ("format", "judged:form", "the share of readable generations", ""),
    ("outcome-format", "judged:outcome_form", "the score and the format", "EvolveR, arXiv 2510.16079"),
]

ADVANTAGES: list[tuple[str, str, str, str]] = [
    ("group-zscore", "group:group_zscore", "standardised within the group", "GRPO, arXiv 2402.03300"),
    ("role-zscore", "group:role_zscore", "standardised within group and role", "ICRL, arXiv 2605.15224"),
    ("leave-one-out", "group:leave_one_out", "against the others of the group", "RLOO, arXiv 2402.14740"),
    ("best-of-group", "group:best_of_group", "1 for the best of the group", "RAFT, arXiv 2304.06767"),
    ("above", "group:above", "1 for what was good enough", "ERL, arXiv 2602.13949"),
    ("batch-mean", "batch:batch_mean", "against the batch, by role", "Complementary RL, arXiv 2603.17621"),
    ("kl-to-go", "batch:kl_to_go", "reward less the KL to come, by token", "REINFORCE++, arXiv 2501.03262"),
    ("turn-zscore", "turns:turn_zscore", "standardised at the same turn index", "RLAnything, arXiv 2602.02488"),
    ("gigpo", "turns:gigpo", "of the attempt, and of turns in the same state", "GiGPO, arXiv 2505.10978"),
    ("gae", "turns:gae", "discounted sums of one-step errors", "GAE, arXiv 1506.02438"),
    ("cross-episode", "turns:cross_episode", "the return over a trial's attempts", "LaMer, arXiv 2512.16848"),
    ("feedback-shaping", "shaping:feedback_shaping", "credit moved behind the feedback", "CAFE, arXiv 2608.24794"),
    ("pivot-mask", "shaping:pivot_mask", "nothing before the pivot", "R3L, arXiv 2601.03715"),
    ("amplify", "shaping:amplify", "good ones made to count more", "R3L, arXiv 2601.03715"),
]

LOSSES: list[tuple[str, str, str, str, str]] = [
    ("sft", "likelihood:sft", "token", "the cross-entropy of what is imitated", ""),
    ("dpo", "likelihood:dpo", "sum", "prefers one answer to another", "DPO, arXiv 2305.18290"),
    ("reinforce", "likelihood:reinforce", "sequence", "−A log π", "R3L, arXiv 2601.03715"),
    ("raft", "likelihood:reinforce", "sequence", "imitates what was chosen", "RAFT, arXiv 2304.06767"),
    ("grpo", "clipped:clipped", "sequence", "clipped ratio, by sequence", "GRPO, arXiv 2402.03300"),
    ("ppo", "clipped:clipped", "token", "clipped ratio, by token", "PPO, arXiv 1707.06347"),
    ("dapo", "clipped:clipped", "token", "clipped higher above", "DAPO, arXiv 2503.14476"),
    ("dr-grpo", "clipped:clipped", "constant", "clipped ratio, by a constant", "Dr. GRPO, arXiv 2503.20783"),
    ("reinforce++", "clipped:clipped", "token", "clipped ratio, by token", "REINFORCE++, arXiv 2501.03262"),
    ("rloo", "likelihood:reinforce", "sum", "−A log π of whole sequences", "RLOO, arXiv 2402.14740"),
    ("rloo-clipped", "clipped:sequence_clipped", "sequence", "one ratio for a sequence", ""),
    ("cispo", "clipped:cispo", "token", "clipped weights, every gradient", "CISPO, arXiv 2506.13585"),
    ("icrl", "clipped:icrl", "sequence", "weighted by what goes without critique", "ICRL, arXiv 2605.15224"),
    ("distill", "distillation:distill", "token", "a teacher's distribution", "GKD, arXiv 2306.13649"),
]

SCHEDULES: list[tuple[str, str, str]] = [
    ("synchronous", "all roles learn in every update", "ECHO, arXiv 2601.06794"),
    ("alternating", "phases in turn, several rounds", "CAFE, arXiv 2608.24794"),
    ("staged", "phases once, each with the last as reference", "Critique-RL, arXiv 2510.24320"),
    ("offline", "play, then learn from all of it, several times", "CGI, arXiv 2503.16024"),
]


def register(registry: Registry) -> None:
    """Enter every reward, advantage, loss and schedule."""
    for name, target, doc, paper in REWARDS:
        per = "turn" if name == "step-verdicts" else "sample"
        registry.add("reward", name, f"{AT}.rewards.{target}", doc=doc, paper=paper, per=per)
    for name, target, doc, paper in ADVANTAGES:
        module = target.partition(":")[0]
        per = "token" if name == "kl-to-go" else "turn" if module in ("turns", "shaping") else "sample"
        registry.add("advantage", name, f"{AT}.advantages.{target}", doc=doc, paper=paper, per=per)
    for name, target, normalise, doc, paper in LOSSES:
        registry.add(
            "loss",
            name,
            f"{AT}.losses.{target}",
            doc=doc,
            paper=paper,
            extra="hf",
            needs=("torch",),
            normalise=normalise,
            options={"high": 0.28} if name == "dapo" else {},
        )
    for name, doc, paper in SCHEDULES:
        registry.add("schedule", name, f"{AT}.schedules.plans:{name}", doc=doc, paper=paper)
