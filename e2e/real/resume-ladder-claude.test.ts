import { runResumeLadder } from './resume-ladder.suite'

await runResumeLadder('claude')
