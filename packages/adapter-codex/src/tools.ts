/** The tools of Codex in people's words, by the names that its items have here. */
import {
  asksQuestions,
  firstLine,
  knownTools,
  looksAtImage,
  patchesFiles,
  runsCommand,
  searches,
  subAgent,
  textIn,
  waits,
} from '@roundhouse/adapter-kit'

export const codexTools = knownTools({
  request_user_input: asksQuestions({ questions: 'questions', answers: 'answers' }),
  commandExecution: runsCommand({ command: 'command', wrapped: true, plainWith: ['cwd'] }),
  fileChange: patchesFiles('changes'),
  webSearch: searches('query'),
  imageView: looksAtImage('path'),
  sleep: waits('durationMs'),
  spawnAgent: {
    shape: { kind: 'members' },
    // It names the sub-agent by its place among the others (`/root/helper`), or tells its task.
    describe: (fields) => subAgent(firstLine(textIn(fields, 'agent', 'prompt').replace(/^\/root\//, ''))),
  },
})
