"""Question files become figures: what a person would find in the first ten passages, and what answers say and cite.

questions → running → checks of one answer (citing, facts, naming, links, declining) → figures → comparison
"""

from bot.evaluation.figures import FIGURES, Figure, Figures, summarise
from bot.evaluation.questions import Case, Gold, QuestionFileError, read_cases
from bot.evaluation.retrieval import TOP, retrieval_figures
from bot.evaluation.running import Evaluation, earlier, evaluate

__all__ = [
    "FIGURES",
    "TOP",
    "Case",
    "Evaluation",
    "Figure",
    "Figures",
    "Gold",
    "QuestionFileError",
    "earlier",
    "evaluate",
    "read_cases",
    "retrieval_figures",
    "summarise",
]
