"""What placement cannot fix, in words and numbers: one small function a rule.

::

    for finding in advise(evidence):
        print(finding.sentence, finding.remedy)
"""

from albic.advice.evidence import Evidence, TaskCost
from albic.advice.finding import Finding
from albic.advice.rules import RULES, advise

__all__ = ["RULES", "Evidence", "Finding", "TaskCost", "advise"]
