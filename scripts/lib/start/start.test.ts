import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fingerprintOf, makeKeyPair } from '@roundhouse/keys'
import { identify } from '@roundhouse/owner'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { inRoot } from '../common/paths.mjs'
import { isAlive, readJson } from '../common/process-facts.mjs'
import { planJoin } from './local-agent.mjs'
import { requireNoHub } from './running-hub.mjs'
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

  it('names a port in use, and how to choose another', async () => {
    const server = net.createServer()
    endings.push(() => new Promise((resolve) => server.close(resolve)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as net.AddressInfo
    await expect(requireFreePort({ port, host: '127.0.0.1' })).rejects.toThrow(
      `Port ${port} is in use by another program; choose another one: PORT=${port + 1}`,
    )
    await expect(requireFreePort({ port: 0, host: '127.0.0.1' })).resolves.toBeUndefined()
  })

  it('[STORE-5] names a hub that runs on the data folder, and none that left its name behind', async () => {
    const folder = makeFolder()
    const write = (name: string, facts: object) => writeFileSync(path.join(folder, name), JSON.stringify(facts))
    const { dev, ino } = statSync(folder)
    const holder = { what: 'hub', ...identify(process.pid), since: 0, folder: `${dev}:${ino}` }
    await requireNoHub(folder, 0)
    write('hub.lock.json', { ...holder, start: 'earlier' })
    await requireNoHub(folder, 0)
    write('hub.lock.json', { ...holder, folder: 'that of which this one is a copy' })
    await requireNoHub(folder, 0)
    write('hub.lock.json', holder)
    const words = `A hub already runs on ${folder} (process ${process.pid}, since 1970-01-01T00:00:00.000Z): `
    await expect(requireNoHub(folder, 0)).rejects.toThrow(`${words}stop it first`)
    write('hub.json', { pid: process.pid, url: 'http://localhost:4600' })
    await expect(requireNoHub(folder)).rejects.toThrow(`${words}open http://localhost:4600, or stop it first`)
  })

  it('[STORE-5] waits for a hub that is just ending', async () => {
    const folder = makeFolder()
    const { dev, ino } = statSync(folder)
    const file = path.join(folder, 'hub.lock.json')
    const holder = { what: 'hub', ...identify(process.pid), since: 0, folder: `${dev}:${ino}` }
    writeFileSync(file, JSON.stringify(holder))
    setImmediate(() => rmSync(file))
    await requireNoHub(folder)
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

  it('that dies before it is ready shows its last words, and none of an earlier start', async () => {
    const service = start('console.error("no such disk"); process.exit(3)')
    writeFileSync(service.options.logFile ?? '', 'of yesterday\n')
    await expect(service.start()).rejects.toThrow(
      /^The last lines of .*log:\nno such disk\nThe service did not start\.$/,
    )
  })

  it('that leaves the place to another one says so once, is tried again, and takes the place when it is free', async () => {
    const said: string[] = []
    const service = start(
      'require("fs").appendFileSync("tries", "."); if (!require("fs").existsSync("room")) process.exit(3); READY setInterval(() => {}, 1000)',
      said,
    )
    Object.assign(service.options, { mayBeLate: true, standsBack: { 3: 'Another one is there.' } })
    expect(service.hasPlace).toBe(false)
    await service.start(1).catch(() => {})
    const tries = path.join(service.options.cwd, 'tries')
    await vi.waitUntil(() => existsSync(tries) && readFileSync(tries, 'utf8').length > 2, { timeout: 20_000 })
    expect(said).toEqual(['Another one is there.'])
    expect(service.hasPlace).toBe(false)
    writeFileSync(path.join(service.options.cwd, 'room'), '')
    await vi.waitUntil(() => service.hasPlace, { timeout: 20_000 })
  })

  it('that dies unasked is started again, each time after a longer pause, and is never given up', async () => {
    const said: string[] = []
    const diesOnRequest = 'setInterval(() => require("fs").existsSync("die") && process.exit(5), 10); READY'
    const service = start(diesOnRequest, said)
    await service.start()
    const die = path.join(service.options.cwd, 'die')
    writeFileSync(die, '')
    const deaths = () => said.filter((line) => line.includes('ended unexpectedly (exit code 5)')).length
    await vi.waitUntil(() => deaths() > 4, { timeout: 20_000 })
    rmSync(die)
    await vi.waitUntil(() => readJson(service.options.readyFile)?.pid === service.pid && service.pid !== undefined, {
      timeout: 20_000,
    })
  })

  it('that keeps dying shows its last words once', async () => {
    const said: string[] = []
    const service = start(
      'require("fs").existsSync("die") && (console.error("no such disk"), process.exit(3)); READY setInterval(() => require("fs").existsSync("die") && process.exit(3), 10)',
      said,
    )
    await service.start()
    writeFileSync(path.join(service.options.cwd, 'die'), '')
    await vi.waitUntil(() => said.length > 6, { timeout: 20_000 })
    expect(said.filter((line) => line.includes('no such disk'))).toHaveLength(1)
  })

  it('that may be late is tried again when its first start fails', async () => {
    const said: string[] = []
    const service = start(
      'if (!require("fs").existsSync("room")) process.exit(3); READY setInterval(() => {}, 1000)',
      said,
    )
    Object.assign(service.options, { mayBeLate: true })
    await expect(service.start()).rejects.toThrow('The service did not start.')
    writeFileSync(path.join(service.options.cwd, 'room'), '')
    await vi.waitUntil(() => readJson(service.options.readyFile) !== null, { timeout: 20_000 })
  })

  it('[FLOW-5] whose process cannot be made at all, and Node says so at once, is tried again', async () => {
    const said: string[] = []
    const service = start('READY setInterval(() => {}, 1000)', said)
    const { command } = service.options
    // Stands for ENOMEM: it is thrown, not told by an event.
    Object.assign(service.options, { mayBeLate: true, command: [...command, '\0'] })
    await expect(service.start(1)).rejects.toThrow('The service')
    await vi.waitUntil(() => said.some((line) => line.includes('ended unexpectedly')))
    Object.assign(service.options, { command })
    await vi.waitUntil(() => readJson(service.options.readyFile) !== null, { timeout: 20_000 })
  })

  it('that does not listen is ended by force', async () => {
    const service = start('process.on("SIGTERM", () => {}); READY setInterval(() => {}, 1000)')
    const { pid } = await service.start()
    expect(await service.stop('SIGTERM', 50)).toBe(false)
    await service.ended
    expect(isAlive(pid)).toBe(false)
  })
})
