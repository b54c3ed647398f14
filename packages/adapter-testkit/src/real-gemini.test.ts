// The adapter rules against the real Gemini CLI, with a scripted model on loopback.
import { geminiEnvironment } from '../../../e2e/real-backends/environment.mjs'
import { startGeminiModel } from '../../../e2e/real-backends/model-servers/gemini.mjs'
import { isPlayed } from './rig/every-run'
import { inFirstPrompt, noFolders, noServers, noToolLists, runRealAcpSuite } from './testing/real-acp'

await runRealAcpSuite({
  kind: 'gemini',
  startModel: startGeminiModel,
  surround: geminiEnvironment,
  // It waits for the next minute; the browser story of Gemini shows the same in every run.
  plays: isPlayed(/^\[RES-2\]/),
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'scripted command' } }),
  toolName: 'run_shell_command',
  otherModel: { code: 'gemini-2.5-pro', seenAs: 'gemini-2.5-pro' },
  missingModel: 'no-such-model',
  fields: {
    ...noToolLists,
    ...noFolders,
    ...noServers,
    systemPrompt: inFirstPrompt(': its own system prompt could only be replaced as a whole'),
    model: { kind: 'standard' },
    maxOutputTokens: { kind: 'host', why: 'the program says no window, so there is nothing to reserve an answer in' },
    sandbox: { kind: 'unsupported', value: { sandbox: 'read-only' } },
    mode: { kind: 'unsupported', value: { mode: 'yolo' } },
  },
})
