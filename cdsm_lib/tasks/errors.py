"""The tasks' error, from `cdsm_lib.tables`."""

from cdsm_lib.tables import TaskError as TaskError
