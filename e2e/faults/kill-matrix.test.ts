import { runKillMatrix } from './kill-matrix.suite'

await runKillMatrix('scripted')
