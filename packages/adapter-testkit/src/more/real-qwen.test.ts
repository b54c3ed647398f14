// The adapter rules against the real Qwen Code, with a scripted model on loopback.
import { qwenEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { inFirstPrompt, noFolders, noServers, noToolLists, runRealAcpSuite } from '../testing/real-acp'

await runRealAcpSuite({
  kind: 'qwen',
  startModel: startChatModel,
  surround: qwenEnvironment,
  shell: (command) => ({
    tool: 'run_shell_command',
    input: { command, description: 'scripted command', is_background: false },
  }),
  // A call does not say the name of its tool.
  toolName: 'execute',
  otherModel: { code: 'other-model', seenAs: 'other-model' },
  missingModel: 'no-such-model',
  fields: {
    ...noToolLists,
    ...noFolders,
    ...noServers,
    systemPrompt: inFirstPrompt(': its own system prompt could only be replaced as a whole'),
    model: { kind: 'standard' },
    maxOutputTokens: {
      kind: 'host',
      why: 'the program has no such setting; the host keeps room for an answer in the window that the program reports',
    },
    sandbox: { kind: 'unsupported', value: { sandbox: 'read-only' } },
    mode: { kind: 'unsupported', value: { mode: 'yolo' } },
  },
})
