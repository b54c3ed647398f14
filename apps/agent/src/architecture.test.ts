// The rooms of the agent and the arrows between them, as data. docs/architecture.md says why.
// Only main.ts knows everybody; the daemon and the session host meet through the log and the host contract alone.
import { describe, expect, it } from 'vitest'
import { adapterPackages } from '../../../scripts/architecture/adapter-packages'
import {
  type Arrows,
  findForbiddenArrows,
  findImportCycles,
  findRoomCycles,
} from '../../../scripts/architecture/arrows'
import { type ImportGraph, readImportGraph } from '../../../scripts/architecture/import-graph'

const contract = ['backend-types']
const kernel = ['backend-types', 'delivery']
const adapters = adapterPackages()

/** Small tools without an opinion. They know no other room, so nothing can pass through them. */
const tools = ['files', 'redact']

const arrows: Arrows = {
  roots: ['main.ts'],
  rooms: {
    files: { packages: [...contract, 'owner'] },
    redact: { packages: contract },
    'host-contract': { rooms: tools, packages: [...contract, 'owner'] },
    'tool-contract': { rooms: [...tools, 'host-contract'], packages: [...contract, 'bus'] },
    'session-tools': { rooms: [...tools, 'tool-contract'], packages: [...contract, 'lines'] },
    log: { rooms: [...tools, 'host-contract'], packages: [...kernel, 'failpoint', 'owner'] },
    'work-folder': { rooms: tools, packages: contract },
    policy: { rooms: [...tools, 'backends'], packages: [...contract, 'owner'] },
    commands: {},
    actions: { rooms: [...tools, 'commands'], packages: contract },
    changes: { rooms: [...tools, 'actions'], packages: contract },
    identity: { rooms: tools, packages: [...contract, 'failpoint', 'keys'] },
    processes: { rooms: [...tools, 'host-contract'], packages: [...contract, 'owner'] },
    backends: { packages: [...contract, ...adapters] },
    reaper: { rooms: [...tools, 'backends', 'host-contract', 'processes'], packages: [...contract, 'owner'] },
    'bus-client': { rooms: [...tools, 'identity'], packages: contract },
    'hub-link': { rooms: [...tools, 'identity'], packages: [...kernel, 'failpoint'] },
    daemon: {
      rooms: [...tools, 'hub-link', 'log', 'policy', 'host-contract', 'identity', 'processes', 'reaper', 'work-folder'],
      packages: [...kernel, 'failpoint', 'owner'],
    },
    'session-host': {
      rooms: [
        ...[...tools, 'backends', 'log', 'host-contract', 'tool-contract', 'processes', 'policy'],
        ...['commands', 'actions', 'changes'],
      ],
      packages: [...kernel, 'bus', 'failpoint', 'owner'],
    },
    bridge: {
      rooms: [...tools, 'backends', 'host-contract', 'processes', 'reaper', 'policy', 'commands', 'actions'],
      packages: [...contract, 'lines', 'owner'],
    },
    // A run without a hub is a session like one of the bridge: the same machine, the same rules, the same place.
    run: { rooms: [...tools, 'bridge'], packages: [...contract, 'runtime'] },
    cli: {
      rooms: [...tools, 'daemon', 'policy', 'identity', 'host-contract', 'processes'],
      packages: [...contract, 'keys'],
    },
  },
}

/** Inside the session host, lowest first. Its top folder wires them together. */
const hostRooms: Arrows['rooms'] = {
  journal: {},
  tools: { rooms: ['journal'] },
  settings: { rooms: ['journal'] },
  program: { rooms: ['journal', 'settings'] },
  output: { rooms: ['journal', 'settings', 'program'] },
  permissions: { rooms: ['journal', 'settings', 'program'] },
  transcript: { rooms: ['journal', 'settings', 'program', 'output'] },
  turns: { rooms: ['journal', 'settings', 'program', 'output', 'permissions', 'transcript'] },
  recovery: { rooms: ['journal', 'settings', 'program', 'output', 'transcript', 'turns'] },
  commands: { rooms: ['journal', 'tools', 'settings', 'program', 'output', 'permissions', 'turns'] },
}

/** Inside the bridge, in the same way. `rules` and `frames` are pure, as far as links are looked at. */
const bridgeRooms: Arrows['rooms'] = {
  messages: {},
  frames: {},
  rules: { rooms: ['messages'] },
  session: { rooms: ['messages', 'frames', 'rules'] },
}

/** Inside the daemon, in the same way. */
const daemonRooms: Arrows['rooms'] = {
  home: {},
  looks: {},
  logs: {},
  policy: { rooms: ['looks'] },
  hosts: { rooms: ['home', 'looks', 'logs'] },
  places: { rooms: ['home', 'hosts'] },
  sweep: { rooms: ['looks', 'logs', 'hosts'] },
  commands: { rooms: ['home', 'looks', 'logs', 'hosts'] },
}

describe('the agent', () => {
  const graph = readImportGraph('apps/agent/src')

  it('keeps to its arrows', () => {
    expect(findForbiddenArrows(graph, arrows)).toEqual([])
  })

  it('has no import cycle', () => {
    expect(findImportCycles(graph)).toEqual([])
  })

  it('has no two rooms that know each other, in whatever folder they lie', () => {
    expect(findRoomCycles(graph)).toEqual([])
  })

  it.each([
    ['session-host', hostRooms],
    ['daemon', daemonRooms],
    ['bridge', bridgeRooms],
  ])('keeps to its arrows inside %s', (folder, rooms) => {
    const { files, edges } = readImportGraph(`apps/agent/src/${folder}`)
    const inside = edges.filter(({ to }) => to.kind === 'file')
    const roots = files.filter((file) => !file.includes('/'))
    expect(findForbiddenArrows({ files, edges: inside }, { roots, rooms })).toEqual([])
  })
})

/**
 * Modules of the daemon's process that touch files or start programs. Each touches only what is the agent's own: its home,
 * its sockets, its scratch folder, its programs, `/proc`. Paths of people, of programs and of work folders may not answer,
 * and are looked at by `look.js` and `ask.js` (FLOW-7): what does that is on no list.
 */
const touchOwnFiles: Readonly<Record<string, readonly string[]>> = {
  daemon: [
    'commands/prompt-images',
    'commands/read-artifact',
    'commands/refused-at-rest',
    'home/daemon-file',
    'home/disk-watch',
    'home/home-place',
    'home/verbs-log',
    'hosts/erasures',
    'hosts/session-eraser',
    'hosts/supervisor',
    'logs/session-logs',
    'looks/backend-asker',
    'looks/look-now',
    'looks/path-looker',
    'places/places',
    'places/waiting-notes',
  ],
  files: [
    'agent-home',
    'private-folder',
    'real-place',
    'require-program',
    'scratch-folder',
    'verbs-log',
    'write-durably',
    'write-once',
  ],
  'host-contract': ['host-door', 'image-files', 'launch', 'session-folder', 'stopped-mark'],
  identity: ['identity-file', 'rotate-key'],
  log: ['broken-log', 'damaged-mark', 'log-place'],
  policy: ['folder-rules', 'pause', 'policy-store', 'who-else-writes'],
  processes: ['mark-reader'],
}

/** All that a process has loaded that begins with these. */
function loadedBy(graph: ImportGraph, ...entries: string[]): string[] {
  const loaded = new Set(entries)
  // A set grows while it is walked.
  for (const file of loaded) {
    for (const { from, to } of graph.edges) if (from === file && to.kind === 'file') loaded.add(to.path)
  }
  return [...loaded].sort()
}

describe('[FLOW-7.2] the process of the daemon', () => {
  const graph = readImportGraph('apps/agent/src')
  const loaded = loadedBy(graph, 'daemon/daemon.ts', 'daemon/looks/backend-asker.ts')
  const reaches = (file: string, names: RegExp) =>
    graph.edges.some(({ from, to }) => from === file && to.kind === 'package' && names.test(to.specifier))

  it('touches files only where they are the agent’s own', () => {
    const touching = loaded.filter((file) => reaches(file, /^node:(fs|child_process|worker_threads)/))
    const listed = Object.entries(touchOwnFiles).flatMap(([room, names]) => names.map((name) => `${room}/${name}.ts`))
    expect(touching).toEqual(listed)
  })

  it('has no adapter, since adapters look for programs and at what these keep', () => {
    // What an adapter says of itself (`/about`) is data.
    expect(loaded.filter((file) => reaches(file, /adapter-[^/]+$/))).toEqual([])
  })

  it('does not load what looks', () => {
    expect(
      loaded.filter((file) =>
        /^(daemon\/looks\/(look|folders)\.ts|policy\/re(al-roots|solve)|work-folder\/(find-|walk)|session-host)/.test(
          file,
        ),
      ),
    ).toEqual([])
  })
})
