import { runKillMatrix } from '../faults/kill-matrix.suite'

await runKillMatrix('codex')
