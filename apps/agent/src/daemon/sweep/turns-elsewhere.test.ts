import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it } from 'vitest'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'

const s1 = sessionName('s1')
const machine = DaemonBench.each()

/** What a terminal does, a while ago. */
function goOn(folder: string, prompt: string, answer: string): void {
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const file = path.join(folder, name)
  const conversation = JSON.parse(readFileSync(file, 'utf8')) as { turns: unknown[] }
  conversation.turns.push({ prompt, steered: [], outputs: [{ kind: 'assistant_text', text: answer }] })
  writeFileSync(file, JSON.stringify(conversation))
  utimesSync(file, new Date(), new Date(Date.now() - 60_000))
}

describe('[RES-9] [LOG-1] a session at rest whose conversation goes on in a terminal', () => {
  it('has those turns at the hub, written by a host that starts no program, and sleeps on', async () => {
    const folder = path.join(machine.bench.root, '.roundhouse-scripted')
    await machine.start({ idleMs: 300, env: { ...process.env, XDG_RUNTIME_DIR: undefined, HOME: machine.bench.root } })
    await machine.create(s1, script([{ text: 'Here.' }]))
    await machine.rests()
    goOn(folder, 'There?', 'There.')
    await machine.has(s1, 'turn_completed', 2)
    expect(machine.of(s1, 'assistant_text')).toHaveLength(2)
    expect(machine.of(s1, 'session_started')).toHaveLength(1)
    expect(machine.hub.states.at(-1)?.status).toEqual({ status: 'resumable', why: 'idle' })
  })
})
