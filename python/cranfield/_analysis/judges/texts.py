"""The sentences below the tables of two judges."""

from __future__ import annotations

DOCUMENTS = (
    "Of the topics that both judged, all documents that either judged; grade 0 where one did not. "
    "kappa: agreement beyond chance, of relevant or not (>= a grade) or of grades weighted by "
    "their distance; alpha: Krippendorff's, ordinal; jaccard: of what either calls relevant, what "
    "both do; over, under: graded higher and lower by the second judge; leniency: its mean grade "
    "less that of gold."
)
CHANCE = {
    "separate": "",
    "pooled": " Kappas take the grades of both judges together for chance.",
    "uniform": " Kappas take all grades to be equally likely by chance: one half of two.",
}
"""What is said of kappas by their marginals."""
GRADES = "How often both grades were given: gold in rows, the second judge in columns."
ORDERS = (
    "tau: Kendall's; tau ap: more weight on the top, with gold as truth; tau ap b: with neither as "
    "truth, 1 for equal orders; tau gap: swaps across large gaps cost more; "
    "tau top, inverted pairs, largest shift: of the best runs under gold."
)
CONCLUSIONS = (
    "Pairs of runs that differ significantly under both judges, with the same run ahead or the "
    "other; under one alone; under neither; precision: of what the second judge calls significant, "
    "what gold confirms; recall: of what is significant under gold, what it finds"
)
FAVOURS = (
    "favour: by how much the mean of a run rises more than that of all runs together; shift: by "
    "how many ranks it rises; unjudged: the share of its first ten documents that gold did not "
    "judge."
)
GROUPS = "favour: by how much the runs of a group gain more under the second judge than all others."
PREDICTED = (
    "The mean over all topics that the second judge has, from gold on some of them: "
    "prediction-powered inference. It needs gold topics that are a random draw, which nothing here "
    "can see. lam: how much the second judge counts; effective topics: how many gold topics would "
    "give as narrow an interval."
)
TOPICS = "The same for each topic that both judged."
