/** Programs without a host, on a machine whose owner keeps them: they are left alone, and looked at again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { script } from '@roundhouse/adapter-scripted'
import { expect, it } from 'vitest'
import { SESSION_MARK } from '../../host-contract/launch-spec'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'

const s1 = sessionName('s1')
const machine = DaemonBench.each()

/** Something that a program of the session started, and that no guard ended. */
async function orphan(): Promise<ChildProcess> {
  const child = spawn('sleep', ['300'], { env: { ...process.env, [SESSION_MARK]: s1 }, stdio: 'ignore' })
  await once(child, 'spawn')
  return child
}
const said = (words: string) => machine.bench.lines.filter((line) => line.includes(words)).length

it.skipIf(process.platform !== 'linux')(
  '[RES-6.25] `orphans: keep` ends none; once they have ended by themselves their turn is closed, and the session goes on',
  async () => {
    const { bench } = machine
    bench.policy.write({ ...bench.policy.current(), orphans: 'keep' })
    await machine.start()
    await machine.create(s1, script([{ text: 'Heard.' }, { text: 'It never ends ', hang: true }]))
    // From here on nobody may say that the prompt was perhaps never heard.
    await machine.has(s1, 'assistant_text')
    await machine.daemon.leave()
    const kept = await orphan()
    process.kill(machine.record(s1).pid, 'SIGKILL')
    await machine.start()
    await bench.until(() => said(`run without a host: ${kept.pid}.`) > 0)
    expect([kept.exitCode, machine.of(s1, 'turn_completed')]).toEqual([null, []])
    kept.kill()
    await machine.has(s1, 'turn_completed')
    expect(machine.of(s1, 'turn_completed')).toMatchObject([{ reason: 'process_exited' }])
    await machine.hub.command(bench.prompt(s1, script([{ text: 'Here again.' }])))
    await machine.has(s1, 'turn_completed', 2)
    expect(said('run without a host')).toBe(1)
  },
)
