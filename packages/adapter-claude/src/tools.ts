/** The tools of Claude Code in people's words. */
import {
  asksQuestions,
  editsFile,
  fetchesPage,
  firstLine,
  hasPlan,
  type KnownTool,
  knownTools,
  readsFile,
  runsCommand,
  searches,
  startsSubAgent,
  textIn,
  writesFile,
} from '@roundhouse/adapter-kit'

const path = 'file_path'
const texts = { before: 'old_string', after: 'new_string', everywhere: 'replace_all' }

/** Called by its own name. */
const named = (verb: string, object: string, shape: NonNullable<KnownTool['shape']>): KnownTool => ({
  shape,
  describe: (fields) => ({ verb, object: firstLine(textIn(fields, object)) }),
})
/** It runs commands in a way of its own: each is asked about, and no grant covers more than exactly this. */
const otherShell = (verb: string) => named(verb, 'command', { kind: 'command', command: 'command' })

export const claudeTools = knownTools({
  AskUserQuestion: asksQuestions({ questions: 'questions', answers: 'answers' }),
  ExitPlanMode: hasPlan('plan'),
  // `description` is the model's own word about the command.
  Bash: runsCommand({ command: 'command', remark: 'description', plainWith: ['description', 'timeout'] }),
  Monitor: otherShell('Monitor'),
  PowerShell: otherShell('PowerShell'),
  Read: readsFile(path),
  Write: writesFile({ path, text: 'content' }),
  Edit: editsFile({ path, ...texts }),
  MultiEdit: named('MultiEdit', path, { kind: 'edit', path, list: 'edits', ...texts }),
  NotebookEdit: named('NotebookEdit', 'notebook_path', { kind: 'edit_file', path: 'notebook_path' }),
  Grep: searches('pattern', 'query'),
  Glob: searches('pattern', 'query'),
  WebSearch: searches('pattern', 'query'),
  WebFetch: fetchesPage('url'),
  Agent: startsSubAgent('prompt', 'description'),
  Task: startsSubAgent('prompt', 'description'),
})
