// The adapter rules against the real OpenClaw, each session with a gateway of its own and a scripted model on loopback.
import { script } from '@roundhouse/adapter-scripted'
import { expect } from 'vitest'
import { openclawEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { startChatModel } from '../../../../e2e/real-backends/model-servers/openai-chat.mjs'
import { allowAll } from '../rig/recorder'
import { contentOf } from '../suite/kit'
import { inFirstPrompt, noFolders, noServers, noToolLists, runRealAcpSuite } from '../testing/real-acp'

const exec = (command: string) => ({ tool: 'exec', input: { command } })

await runRealAcpSuite({
  kind: 'openclaw',
  startModel: startChatModel,
  surround: openclawEnvironment,
  timeoutMs: 600_000,
  shell: exec,
  toolName: 'exec',
  // It refuses by itself what it cannot pin down: a redirection, and what a second command does.
  commands: {
    write: (content, file) => `echo ${content} | tee ${file}`,
    begin: (file) => `touch ${file} && sleep 60`,
    printEnv: (name) => `printenv ${name}`,
  },
  otherModel: { code: 'none', seenAs: 'none' },
  fields: {
    ...noToolLists,
    ...noFolders,
    ...noServers,
    systemPrompt: inFirstPrompt(', since the protocol has no place for it'),
    model: { kind: 'unsupported', value: { model: 'other-model' } },
    maxOutputTokens: { kind: 'host', why: 'it serves the warning before the window is full' },
    sandbox: {
      kind: 'effect',
      title: 'read-only lets no command run',
      async check({ bench: { workDir }, start }) {
        const file = `${workDir}/from-read-only.txt`
        const recorder = await start({ sandbox: 'read-only' })
        const turn = await recorder.turn(script([exec(`touch ${file}`), { text: 'Done.' }]), allowAll)
        expect([turn.asks, contentOf(file)]).toEqual([[], undefined])
      },
    },
    mode: { kind: 'unsupported', value: { mode: 'full' } },
  },
})
