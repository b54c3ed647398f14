/** The player's tools in people's words. A script may call any other as well. */
import {
  asksQuestions,
  editsFile,
  fetchesPage,
  hasPlan,
  knownTools,
  readsFile,
  runsCommand,
  searches,
  startsSubAgent,
  writesFile,
} from '@roundhouse/adapter-kit'

const path = 'file_path'

export const scriptedTools = knownTools({
  AskUserQuestion: asksQuestions({ questions: 'questions', answers: 'answers' }),
  ExitPlanMode: hasPlan('plan'),
  Bash: runsCommand({ command: 'command', remark: 'description', plainWith: ['description', 'timeout'] }),
  exec_command: runsCommand({ command: 'cmd' }),
  Read: readsFile(path),
  Write: writesFile({ path, text: 'content' }),
  Edit: editsFile({ path, before: 'old_string', after: 'new_string', everywhere: 'replace_all' }),
  Grep: searches('pattern'),
  Glob: searches('pattern'),
  WebSearch: searches('query'),
  WebFetch: fetchesPage('url'),
  Agent: startsSubAgent('prompt', 'description'),
  Task: startsSubAgent('prompt', 'description'),
})
