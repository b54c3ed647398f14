// The rooms of the hub and the arrows between them, as data. docs/architecture.md says why.
// Only server.ts knows everybody (and audit-check.ts and recover.ts, programs of their own); core declares ports and knows no room; the browser's rooms know no server room.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from '@roundhouse/backend-types/page-zod'
import { describe, expect, it } from 'vitest'
import {
  type Arrows,
  findForbiddenArrows,
  findImportCycles,
  findRoomCycles,
} from '../../../scripts/architecture/arrows'
import { readImportGraph } from '../../../scripts/architecture/import-graph'

const kernel = ['backend-types', 'delivery']
const browser = [...kernel, 'hub-client']

const arrows: Arrows = {
  roots: ['server.ts', 'audit-check.ts', 'recover.ts'],
  rooms: {
    core: { packages: [...kernel, 'bus', 'failpoint', 'keys', 'runtime'] },
    store: { rooms: ['core'], packages: [...kernel, 'failpoint', 'keys', 'owner'], outside: ['prisma/generated'] },
    auth: { rooms: ['core'], packages: [...kernel, 'owner'], outside: ['prisma/generated'] },
    outbound: { rooms: ['core'], packages: ['backend-types'] },
    api: { rooms: ['core', 'auth'], packages: kernel },
    gateway: { rooms: ['core', 'auth'], packages: kernel },
    channels: { rooms: ['core'], packages: ['backend-types'] },
    'announce.ts': { packages: ['owner'] },
    'folder-lock.ts': { rooms: ['announce.ts'], packages: ['backend-types', 'owner'] },
    'older-hub.ts': { rooms: ['announce.ts'], packages: ['owner'] },
    'private-files.ts': {},
    'config.ts': { rooms: ['oidc-config.ts'], packages: ['backend-types'] },
    'oidc-config.ts': { packages: ['backend-types'] },
    'one-by-one.ts': {},
    'own-log.ts': {},
    'page-turns.ts': {},
    'last-net.ts': { rooms: ['store'], packages: ['backend-types'] },
    'run-clock.ts': {},
    'load-pages.ts': {},
    'site.ts': { rooms: ['config.ts', 'load-pages.ts'], packages: ['backend-types'] },
    'wait-for-room.ts': { packages: ['owner'] },
    'web-server.ts': { rooms: ['auth', 'one-by-one.ts'], packages: ['backend-types'] },
    app: { rooms: ['features', 'live', 'ui'], packages: browser },
    features: { rooms: ['live', 'ui'], packages: browser },
    live: { packages: browser },
    ui: { packages: ['backend-types'] },
  },
}

const everywhere = ['common', 'ports', 'access']
const services = [...everywhere, 'writes', 'audit', 'doorbells', 'stream']

/** The rooms of the core, each with those that it stands on. */
const coreArrows: Arrows = {
  roots: ['create-core.ts', 'create-shared.ts', 'core-deps.ts', 'core-services.ts', 'index.ts'],
  rooms: {
    common: { packages: kernel },
    access: { packages: kernel },
    names: { rooms: everywhere, packages: kernel },
    ports: { rooms: ['access'], packages: kernel },
    writes: { rooms: everywhere, packages: kernel },
    followers: { rooms: everywhere, packages: kernel },
    channels: {
      rooms: [...services, 'machines', 'people', 'ingest', 'views'],
      packages: [...kernel, 'failpoint'],
    },
    audit: { rooms: [...everywhere, 'followers'], packages: [...kernel, 'keys'] },
    derived: { rooms: [...everywhere, 'followers', 'audit'], packages: kernel },
    webhooks: {
      rooms: [...everywhere, 'writes', 'audit', 'doorbells', 'bus'],
      packages: [...kernel, 'bus', 'failpoint'],
    },
    doorbells: { rooms: everywhere, packages: kernel },
    bus: { rooms: [...everywhere, 'names', 'followers', 'doorbells'], packages: [...kernel, 'bus', 'failpoint'] },
    stream: { rooms: everywhere, packages: kernel },
    machines: { rooms: services, packages: [...kernel, 'keys'] },
    people: { rooms: [...services, 'names', 'machines'], packages: kernel },
    ingest: { rooms: [...services, 'machines'], packages: [...kernel, 'failpoint', 'runtime'] },
    views: { rooms: [...services, 'machines', 'ingest'], packages: kernel },
    commands: { rooms: [...services, 'machines', 'ingest', 'views'], packages: [...kernel, 'failpoint'] },
    sessions: { rooms: [...services, 'machines', 'ingest', 'views', 'commands'], packages: kernel },
    asks: {
      rooms: [...services, 'followers', 'machines', 'ingest', 'views', 'commands', 'sessions', 'bus'],
      packages: kernel,
    },
    trees: {
      rooms: [...services, 'followers', 'bus', 'machines', 'ingest', 'views', 'commands', 'sessions'],
      packages: [...kernel, 'bus', 'failpoint'],
    },
    ends: { rooms: [...services, 'bus', 'machines', 'ingest', 'views'], packages: kernel },
    runs: {
      rooms: [...services, 'machines', 'ingest', 'views', 'commands', 'sessions'],
      packages: [...kernel, 'runtime'],
    },
    viewer: {
      rooms: [...services, 'followers', 'bus', 'machines', 'ingest', 'views', 'sessions'],
      packages: kernel,
    },
    link: {
      rooms: [...services, 'machines', 'ingest', 'views', 'commands'],
      packages: [...kernel, 'keys', 'failpoint'],
    },
    'storage-told.ts': { rooms: everywhere.concat('doorbells'), packages: kernel },
    'ticker.ts': {
      rooms: [...services, 'bus', 'followers', 'machines', 'commands', 'sessions', 'link'],
      packages: kernel,
    },
  },
}

const coreParts = (...parts: string[]) => parts.map((part) => `apps/hub/src/core/${part}`)

/** The rooms of the bus, each with those that it stands on. */
const busArrows: Arrows = {
  roots: ['bus.ts'],
  rooms: Object.fromEntries(
    Object.entries({
      messages: [],
      reading: [],
      publishing: ['messages'],
      peers: ['messages', 'reading'],
      sessions: ['messages', 'peers'],
    }).map(([room, rooms]) => [
      room,
      {
        rooms,
        packages: [...kernel, 'bus'],
        outside: coreParts(...everywhere, 'names', 'followers', 'doorbells'),
      },
    ]),
  ),
}

/** The rooms of the SQLite store, each with those that it stands on, and what each knows of the core. */
const storeArrows: Arrows = {
  roots: ['index.ts'],
  rooms: {
    file: { packages: [...kernel, 'failpoint', 'keys', 'owner'], outside: coreParts('ports') },
    rows: { packages: kernel, outside: coreParts('ports') },
    reads: {
      rooms: ['file', 'rows'],
      packages: [...kernel, 'keys'],
      outside: coreParts('ports', 'access', 'audit', 'views/damaged-row.ts'),
    },
    stream: { rooms: ['file', 'rows', 'reads'], packages: kernel, outside: coreParts('ports', 'audit') },
    prisma: {
      rooms: ['file', 'rows'],
      packages: kernel,
      outside: [...coreParts('ports', 'access', 'audit', 'views/damaged-row.ts'), 'prisma/generated'],
    },
    derived: { rooms: ['file', 'rows', 'prisma'], packages: kernel, outside: coreParts('ports', 'derived') },
    writes: { rooms: ['file', 'rows'], packages: [...kernel, 'failpoint'], outside: coreParts('ports') },
  },
}

/** The rooms of the chat channels. Only `telegram` contacts another server. */
const channelArrows: Arrows = {
  roots: ['index.ts', 'run-bot.ts'],
  rooms: Object.fromEntries(
    Object.entries({
      port: [],
      pacing: [],
      words: [],
      places: [],
      telegram: ['port'],
      listening: ['port', 'pacing', 'places', 'words'],
      delivery: ['port', 'pacing', 'places', 'words'],
    }).map(([room, rooms]) => [room, { rooms, packages: ['backend-types'], outside: ['apps/hub/src/core/index.ts'] }]),
  ),
}

const below = { packages: kernel, outside: ['apps/hub/src/core', 'apps/hub/src/auth'] }

/** The rooms of the API, each with those that it stands on. */
const apiArrows: Arrows = {
  roots: ['index.ts'],
  rooms: {
    request: below,
    limits: below,
    document: { packages: kernel },
    handlers: { rooms: ['request', 'limits'], ...below },
    login: { rooms: ['request', 'limits', 'document'], ...below },
    'mount-routes.ts': { rooms: ['request', 'handlers'], ...below },
  },
}

/** The rooms of the gateway, each with those that it stands on. */
const gatewayArrows: Arrows = {
  roots: ['index.ts'],
  rooms: {
    upgrade: below,
    frames: below,
    people: { rooms: ['upgrade'], ...below },
    agents: { rooms: ['upgrade', 'frames'], ...below },
    viewers: { rooms: ['people', 'frames'], ...below },
    programs: { rooms: ['people', 'frames'], ...below },
  },
}

/** Whose right to it is judged in the transaction by something else than a login: a machine, a code, a clock. */
const writesOfNobody = {
  'channels/channel-gate.ts': 2, // a chat with its code; how far a chat was told, whose link is in the row
  'link/agent-gate.ts': 1, // a machine that connects
  'link/audit-heads.ts': 1,
  'commands/command-moves.ts': 3, // of a command that was judged when it was made, and is judged again when it is sent
  'create-core.ts': 1, // old answers
  'create-shared.ts': 1, // rows of the audit log alone
  'followers/log-follower.ts': 1, // the cursor, and what a follower makes of events that are stored
  'machines/door.ts': 1, // of machines that connect, for the two that are named here
  'machines/enrollment-tokens.ts': 1, // the local agent's token
  'machines/enrollment.ts': 1, // a machine with a token
  'link/hub-restored.ts': 1,
  'people/invitations.ts': 5, // whoever holds the code
  'link/link-current.ts': 1, // a machine that is connected, behind its fence; so the next four
  'link/link-events.ts': 2,
  'link/link-hello.ts': 1,
  'link/link-session.ts': 1,
  'link/listed-requests.ts': 1,
  'link/lost-decisions.ts': 1, // what a machine brings back that this hub no longer knew
  'people/own-account.ts': 1, // when a token was used last
  'people/recover-here.ts': 1, // whoever has the disk
  'machines/rotate-key.ts': 1, // a machine with its key
  'link/session-rest.ts': 1, // a clock
  'people/sign-in.ts': 6, // whoever begins a login with a key; its own transaction reads what it rests on
  'ticker.ts': 1,
  'writes/write-as.ts': 2, // the door itself, and what the hub does by itself
}

describe('the hub', () => {
  const graph = readImportGraph('apps/hub/src', { aliases: { '@/': '' } })

  it('keeps to its arrows', () => {
    expect(findForbiddenArrows(graph, arrows)).toEqual([])
  })

  it('knows of the runtime only what is made from a log', () => {
    const known = graph.edges.flatMap(({ to }) =>
      to.kind === 'package' && to.name === '@roundhouse/runtime' ? [to.specifier] : [],
    )
    expect(new Set(known)).toEqual(new Set(['@roundhouse/runtime/run']))
  })

  it('keeps to the arrows between the rooms of its core', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/core'), coreArrows)).toEqual([])
  })

  it('keeps to the arrows between the rooms of its bus', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/core/bus'), busArrows)).toEqual([])
  })

  it('keeps to the arrows between the rooms of its store', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/store/sqlite'), storeArrows)).toEqual([])
  })

  it('asks a store by nouns: a file of ports is a page long, and no interface in it has more than 15 members', () => {
    const ports = graph.files.filter((name) => name.startsWith('core/ports/'))
    const texts = ports.map((name) => readFileSync(path.join(import.meta.dirname, name), 'utf8'))
    expect(ports.filter((_, index) => (texts[index]?.split('\n').length ?? 0) > 120)).toEqual([])
    const faces = texts.flatMap((text) => [...text.matchAll(/^export interface (\w+)[^\n]*\{\n(.*?)\n\}/gms)])
    const counted = faces.map(
      ([, name = '', body = '']) => [name, body.match(/^ {2}\w+(<T>)?\(/gm)?.length ?? 0] as const,
    )
    expect(Object.fromEntries(counted)).toMatchObject({ SessionStore: 12, AuditStore: 11 })
    expect(counted.filter(([, methods]) => methods > 15)).toEqual([])
  })

  it('reads and writes JSON columns in its store: its core parses only the bytes of events, and knows no key of a table', () => {
    const core = graph.files.filter((name) => /^core\/.*(?<!\.test)\.ts$/.test(name))
    const found = (pattern: RegExp) =>
      core.filter((name) => pattern.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')))
    expect(found(/JSON\.parse\(/)).toEqual(['core/ingest/read-event.ts'])
    expect(found(/\b(pk|\w+Pk)\b/)).toEqual([])
  })

  it('keeps to the arrows between the rooms of its API', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/api'), apiArrows)).toEqual([])
  })

  it('keeps to the arrows between the rooms of its gateway', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/gateway'), gatewayArrows)).toEqual([])
  })

  it('keeps to the arrows between the rooms of its chat channels', () => {
    expect(findForbiddenArrows(readImportGraph('apps/hub/src/channels'), channelArrows)).toEqual([])
  })

  it('has no two rooms that know each other, in whatever folder they lie', () => {
    expect(findRoomCycles(graph)).toEqual([])
  })

  it('[A37] [CHAN-1.3] [HOOK-6] opens connections in three places: to the identity provider and the chat service that its operator named, and where it judges each address', () => {
    const server =
      /^(core|store|auth|api|gateway|outbound|channels)\/|^(server|site|web-server|announce|older-hub|folder-lock|config|oidc-config)\.ts$/
    const rooms = graph.files.filter((name) => server.test(name))
    expect(rooms.length).toBeGreaterThan(80)
    const asks = /\bfetch\(|\bhttps?\.(get|request)\(|\bnew WebSocket\(|\bconnect\(\{|axios|undici|\bimport\('grammy/
    expect(rooms.filter((name) => asks.test(readFileSync(path.join(import.meta.dirname, name), 'utf8')))).toEqual([
      'auth/oidc-discovery.ts',
      'channels/telegram/telegram-channel.ts',
      'outbound/guarded-connector.ts',
      'outbound/index.ts',
    ])
  })

  it('[AUTH-1] writes for people through `writeAs` alone: whoever writes otherwise is named here, with how often', () => {
    const core = graph.files.filter((name) => /^core\/.*(?<!\.test)\.ts$/.test(name))
    const counted = core.flatMap((name) => {
      const text = readFileSync(path.join(import.meta.dirname, name), 'utf8')
      const writes = text.match(/(?:(?:transactions\??|door)\.write|ingest\.change)\(/g)?.length ?? 0
      return writes > 0 ? [[name.replace('core/', ''), writes]] : []
    })
    expect(Object.fromEntries(counted)).toEqual(writesOfNobody)
  })

  it('uses in pages no part of zod that they do not load', () => {
    const types = ['infer', 'input', 'output', 'ZodType']
    const texts = graph.files.filter((name) => /^(app|features|live|ui)\//.test(name))
    const parts = texts.flatMap((name) => {
      const text = readFileSync(path.join(import.meta.dirname, name), 'utf8')
      return [...text.matchAll(/\bz\.(\w+)/g)].map(([, part]) => part as string)
    })
    expect(parts).toContain('object')
    expect(parts.filter((part) => !(part in z) && !types.includes(part))).toEqual([])
  })

  it('has no import cycle', () => {
    expect(findImportCycles(graph)).toEqual([])
  })
})
