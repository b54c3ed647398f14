/** A host begins only when the daemon that launched it is gone: the next one found nothing of it at its start. */
import { once } from 'node:events'
import { existsSync, mkdirSync, watch, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { describe, expect, it, vi } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { bundle } from '../../testing/bundle'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'

// Two daemons and two hosts start, one after the other.
vi.setConfig({ testTimeout: 120_000 })

const s1 = sessionName('s1')
const machine = DaemonBench.each()

/** A host that calls before it begins, and begins when it is answered. */
async function lateHost() {
  const { root } = machine.bench
  const place = path.join(root, 'late.sock')
  const server = createServer().listen(place)
  await once(server, 'listening')
  const hostEntry = path.join(root, 'programs', 'late-host.mjs')
  mkdirSync(path.dirname(hostEntry))
  const text = `import { once } from 'node:events'
import { connect } from 'node:net'
const call = connect(${JSON.stringify(place)})
await once(call, 'data')
call.destroy()
await import(${JSON.stringify(await bundle('session-host/main.ts'))})`
  writeFileSync(hostEntry, text)
  const called = once(server, 'connection') as Promise<[Socket]>
  return {
    hostEntry,
    called,
    async begin() {
      const [call] = await called
      call.end('begin')
      server.close()
    },
  }
}

function appeared(file: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!existsSync(file)) return
      watcher.close()
      resolve()
    }
    const watcher = watch(path.dirname(file), look)
    look()
  })
}

describe('[RES-4.2] [RES-6] a host that begins when its daemon is gone', () => {
  it('is found by whoever starts one beside it: the prompt is answered once, and its question is asked', async () => {
    const late = await lateHost()
    await machine.start({ hostEntry: late.hostEntry })
    const asks = script([{ tool: 'Write', input: { file_path: 'a.txt', content: 'x' } }, { text: 'Done.' }])
    const command = machine.bench.create(s1, asks)
    void machine.hub.command(command).catch(() => {})
    await late.called
    await machine.restart()
    await late.begin()
    await appeared(sessionFiles(machine.folder(s1)).host)

    await machine.hub.command(command)
    await machine.has(s1, 'permission_requested')
    expect(machine.daemon.liveSessions()).toEqual([s1])
    expect(machine.of(s1, 'session_started')).toHaveLength(1)
    expect(machine.of(s1, 'process_exited')).toEqual([])
  })
})
