// What a killed program made for itself in the person's folder goes with it, and nothing else does.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { codexEnvironment } from '../../../../e2e/real-backends/environment.mjs'
import { findRealBackends } from '../../../../e2e/real-backends/install.mjs'
import { startResponsesModel } from '../../../../e2e/real-backends/model-servers/openai-responses.mjs'
import { HostWorld, whenFile } from '../testing/host-world'
import { reapSession } from './reap'
import { removeLeft } from './remove-left'

const { codex } = await findRealBackends('codex')
const bin = 'skipped' in codex ? null : codex.bin

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

describe.skipIf(process.platform !== 'linux')('the folders that a killed program leaves', () => {
  it('[RES-6.26] go when they are empty and were not there before, and nothing else goes', async () => {
    const inWork = (...path: string[]) => join(world.workDir, ...path)
    for (const name of ['.git', '.codex', '.agents', 'mine']) mkdirSync(inWork(name))
    writeFileSync(inWork('.agents', 'kept'), '')
    mkdirSync(world.sessionDir, { recursive: true })
    const record = {
      version: 1,
      sessionId: world.sessionId,
      pid: 1,
      start: 'x',
      bootId: 'x',
      proto: 2,
      sock: 'x',
      procs: [],
      mayLeave: ['.git', '.agents', '.aws', 'mine'].map((name) => inWork(name)),
    }
    writeFileSync(world.files.host, JSON.stringify(record))
    await reapSession(world.sessionDir, world.sessionId, {
      takeLeft: removeLeft,
      readMarks: world.readMarks,
    })
    expect(readdirSync(world.workDir).sort()).toEqual(['.agents', '.codex', 'mine'])
  })

  it.skipIf(bin === null)(
    '[RES-6] of the real Codex, whose host is killed while a sandboxed command runs',
    { timeout: 60_000 },
    async () => {
      const model = await startResponsesModel()
      const { env, remove } = codexEnvironment(model.url)
      try {
        const backends = { codex: { binaryPath: bin ?? '' } }
        const host = await world.open({ backends }, env)
        const command = { cmd: 'echo on > running; sleep 60', yield_time_ms: 30_000 }
        const steps = [{ tool: 'exec_command', input: command }]
        await host.client.command(world.create({ backend: 'codex' }, script(steps)))
        await whenFile(join(world.workDir, 'running'), (text) => text.includes('on'))
        process.kill(world.record().pid, 'SIGKILL')
        await world.guardIsDone()
        expect(readdirSync(world.workDir)).toEqual(['running'])
      } finally {
        await model.close()
        remove()
      }
    },
  )
})
