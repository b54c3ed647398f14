/** A host begins only when the daemon that launched it is gone: the next one found nothing of it at its start. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it, vi } from 'vitest'
import { sessionFiles } from '../host-contract/paths'
import { bundle } from '../testing/bundle'
import { DaemonBench } from '../testing/daemon-bench'
import { sessionName } from '../testing/session-name'

// Two daemons and two hosts start, one after the other.
vi.setConfig({ testTimeout: 120_000 })

const s1 = sessionName('s1')
const machine = DaemonBench.each()

/** A host that waits before it begins: says that it is there, and goes on when told. */
async function lateHost() {
  const { root } = machine.bench
  const [there, begin] = ['host-there', 'host-begins'].map((name) => path.join(root, name))
  const hostEntry = path.join(root, 'programs', 'late-host.mjs')
  mkdirSync(path.dirname(hostEntry))
  const text = `import { existsSync, writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(there)}, '')
while (!existsSync(${JSON.stringify(begin)})) await new Promise((resolve) => setTimeout(resolve, 5))
await import(${JSON.stringify(await bundle('session-host/main.ts'))})`
  writeFileSync(hostEntry, text)
  return { hostEntry, there: () => existsSync(there ?? ''), begin: () => writeFileSync(begin ?? '', '') }
}

const polled = async (test: () => boolean) => {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('[RES-4] [RES-6] a host that begins when its daemon is gone', () => {
  it('is found by whoever starts one beside it: the prompt is answered once, and its question is asked', async () => {
    const late = await lateHost()
    await machine.start({ hostEntry: late.hostEntry })
    const asks = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
    const command = machine.bench.create(s1, asks)
    void machine.hub.command(command).catch(() => {})
    await polled(late.there)
    await machine.restart()
    late.begin()
    await polled(() => existsSync(sessionFiles(machine.folder(s1)).host))

    await machine.hub.command(command)
    await machine.has(s1, 'permission_requested')
    expect(machine.daemon.liveSessions()).toEqual([s1])
    expect(machine.of(s1, 'session_started')).toHaveLength(1)
    expect(machine.of(s1, 'process_exited')).toEqual([])
  })
})
