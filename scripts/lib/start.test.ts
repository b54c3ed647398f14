import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fingerprintOf, makeKeyPair } from '@roundhouse/keys'
import { afterEach, describe, expect, it } from 'vitest'
import { planJoin } from './local-agent.mjs'
import { inRoot } from './paths.mjs'
import { isAlive } from './process-facts.mjs'
import { Service } from './service.mjs'
import { readStartConfig, requireFreePort, requireWritable } from './start-config.mjs'
import { makeStopRule } from './stop-rule.mjs'

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const ending of endings.splice(0).reverse()) await ending()
})

function makeFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'start-'))
  endings.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('what npm start refuses', () => {
  it('takes folders as absolute paths, and names a port or an option that it cannot use', () => {
    expect(readStartConfig({ PORT: '0', ROUNDHOUSE_DATA_DIR: 'data' })).toMatchObject({
      port: 0,
      host: '127.0.0.1',
      dataDir: inRoot('data'),
      agentHome: inRoot('.roundhouse/agent'),
      ownSessions: false,
    })
    expect(() => readStartConfig({ PORT: 'http' })).toThrow('PORT is "http"; it must be a number from 0 to 65535.')
    expect(() => readStartConfig({ PORT: '65536' })).toThrow('65536')
    expect(() => readStartConfig({}, ['--prot=1'])).toThrow('Unknown option --prot=1')
  })

  it('names a port in use, who may hold it, and how to choose another', async () => {
    const server = net.createServer()
    endings.push(() => new Promise((resolve) => server.close(resolve)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as net.AddressInfo
    const ask = (running?: object) => requireFreePort({ port, host: '127.0.0.1' }, running as never)
    await expect(ask()).rejects.toThrow(
      `Port ${port} is in use by another program; choose another one: PORT=${port + 1}`,
    )
    await expect(ask({ port, pid: 7, url: 'http://localhost:1' })).rejects.toThrow('already runs (process 7)')
    await expect(requireFreePort({ port: 0, host: '127.0.0.1' })).resolves.toBeUndefined()
  })

  it('names a folder that cannot be written', () => {
    const file = path.join(makeFolder(), 'file')
    writeFileSync(file, '')
    expect(() => requireWritable(path.join(file, 'below'), 'ROUNDHOUSE_DATA_DIR')).toThrow(
      /cannot write to .*below \(ENOTDIR\).*set ROUNDHOUSE_DATA_DIR to another one/,
    )
  })
})

describe('the local agent', () => {
  const hubPublicKey = makeKeyPair().publicKey
  const identity = { hubPublicKey, hubUrl: 'http://localhost:4600' }
  const hub = { url: 'http://localhost:4600', hubKeyFingerprint: '' }

  it('joins once, follows its hub to another port, and never joins a second hub silently', () => {
    const own = { ...hub, hubKeyFingerprint: fingerprintOf(hubPublicKey).toUpperCase() }
    expect(planJoin(null, own)).toBe('join')
    expect(planJoin(identity, own)).toBe('joined')
    expect(planJoin(identity, { ...own, url: 'http://localhost:4601' })).toBe('moved')
    expect(planJoin(identity, { ...own, hubKeyFingerprint: '00'.repeat(32) })).toBe('other hub')
  })
})

describe('Ctrl-C', () => {
  const pressed = (...events: [signal: string, atMs: number][]) => {
    let now = 0
    const judge = makeStopRule({ now: () => now })
    return events.map(([signal, atMs]) => {
      now = atMs
      return judge(signal)
    })
  }

  it('stops everything at first, and leaves at once when pressed again', () => {
    expect(pressed(['SIGINT', 0], ['SIGINT', 900], ['SIGINT', 901])).toEqual(['stop all', 'leave at once', 'ignore'])
  })

  it('counts once when npm passes it on', () => {
    expect(pressed(['SIGINT', 0], ['SIGINT', 3], ['SIGINT', 2_000])).toEqual(['stop all', 'ignore', 'leave at once'])
  })

  it('is not what a service manager or a closed terminal sends: those leave the sessions', () => {
    expect(pressed(['SIGTERM', 0], ['SIGHUP', 1])).toEqual(['leave', 'ignore'])
    expect(pressed(['SIGHUP', 0])).toEqual(['leave'])
    expect(pressed(['SIGINT', 0], ['SIGTERM', 100])).toEqual(['stop all', 'leave at once'])
  })
})

describe('a service', () => {
  const start = (program: string, said: string[] = []) => {
    const folder = makeFolder()
    const readyFile = path.join(folder, 'ready.json')
    const ready = `require('fs').writeFileSync(${JSON.stringify(readyFile)}, JSON.stringify({ pid: process.pid }));`
    const service = new Service({
      title: 'The service',
      command: [process.execPath, '-e', program.replace('READY', ready)],
      env: process.env,
      cwd: folder,
      logFile: path.join(folder, 'log'),
      readyFile,
      say: (line: string) => void said.push(line),
      restartPauseMs: 1,
    })
    endings.push(() => service.stop('SIGKILL', 1_000))
    return service
  }

  it('is ready when its file names its own process, and ends when asked', async () => {
    const service = start('READY process.on("SIGTERM", () => process.exit(0)); setInterval(() => {}, 1000)')
    const facts = await service.start()
    expect(facts.pid).toBe(service.pid)
    expect(await service.stop('SIGTERM', 10_000)).toBe(true)
    expect(isAlive(facts.pid)).toBe(false)
  })

  it('that dies before it is ready shows its last words', async () => {
    await expect(start('console.error("no such disk"); process.exit(3)').start()).rejects.toThrow(
      /no such disk\nThe service did not start; its whole log is .*log/,
    )
  })

  it('that dies unasked is started again, but not for ever', async () => {
    const said: string[] = []
    const diesOnRequest = 'setInterval(() => require("fs").existsSync("die") && process.exit(5), 10); READY'
    const service = start(diesOnRequest, said)
    await service.start()
    writeFileSync(path.join(service.options.cwd, 'die'), '')
    expect(await service.gaveUp).toBe('exit code 5')
    expect(said).toEqual(Array(2).fill('The service ended unasked (exit code 5) and is started again.'))
  })

  it('that does not listen is ended by force', async () => {
    const service = start('process.on("SIGTERM", () => {}); READY setInterval(() => {}, 1000)')
    const { pid } = await service.start()
    expect(await service.stop('SIGTERM', 50)).toBe(false)
    await service.ended
    expect(isAlive(pid)).toBe(false)
  })
})
