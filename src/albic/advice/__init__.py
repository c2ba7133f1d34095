"""What placement cannot fix, in words and numbers: one small function a rule.

::

    for finding in advise(evidence):
        print(finding.sentence, finding.remedy)
"""

from albic.advice.advising import RULES, advise
from albic.advice.evidence import Evidence, TaskCost
from albic.advice.finding import Finding

__all__ = ["RULES", "Evidence", "Finding", "TaskCost", "advise"]
