// Checks an import graph against arrows given as data. Each check returns a list of plain sentences, empty if there is no
// violation, so that a test shows at once which file imports what.
import type { ImportEdge, ImportGraph, ImportTarget } from './import-graph'

export interface RoomRule {
  /** The other rooms that this one may know. */
  rooms?: readonly string[]
  /** The house's own packages that this one may know, without their scope. */
  packages?: readonly string[]
  /** Places outside of the folder that it may reach by a relative path, such as `prisma/generated`. */
  outside?: readonly string[]
}

export interface Arrows<Room extends string = string> {
  /** Composition roots: the only files that may know everybody. Nobody may know them. */
  roots: readonly string[]
  rooms: Record<Room, RoomRule>
}

const scope = '@roundhouse/'

const roomOf = (file: string): string => (file.includes('/') ? (file.split('/')[0] ?? '') : file)

function judge(edge: ImportEdge, rule: RoomRule, room: string, roots: readonly string[]): string | null {
  const { to } = edge
  if (to.kind === 'package') {
    if (!to.name.startsWith(scope)) return null
    return rule.packages?.includes(to.name.slice(scope.length)) ? null : `may not know ${to.name}`
  }
  if (to.kind === 'outside') {
    const allowed = rule.outside?.some((place) => to.path === place || to.path.startsWith(`${place}/`))
    return allowed ? null : `may not reach ${to.path}`
  }
  if (roots.includes(to.path)) return `may not know the composition root ${to.path}`
  const other = roomOf(to.path)
  return other === room || rule.rooms?.includes(other) ? null : `may not know ${to.path}`
}

/** Every import that no arrow allows, and every file that stands in no room. */
export function findForbiddenArrows(graph: ImportGraph, arrows: Arrows): string[] {
  const ruleOf = (file: string): RoomRule | undefined => arrows.rooms[roomOf(file)]
  const homeless = graph.files
    .filter((file) => !arrows.roots.includes(file) && ruleOf(file) === undefined)
    .map((file) => `${file} stands in no known room`)
  const forbidden = graph.edges.flatMap((edge) => {
    const rule = ruleOf(edge.from)
    if (rule === undefined) return []
    const room = roomOf(edge.from)
    const reason = judge(edge, rule, room, arrows.roots)
    return reason === null ? [] : [`${edge.from}:${edge.line} ${room} ${reason}`]
  })
  return [...homeless, ...forbidden]
}

const describe = (to: ImportTarget): string => (to.kind === 'package' ? to.specifier : to.path)

/** Every import that is neither one of the allowed packages nor one of the folder's own files. */
export function findForeignImports(graph: ImportGraph, allowed: readonly string[]): string[] {
  return graph.edges
    .filter(({ to }) => to.kind === 'outside' || (to.kind === 'package' && !allowed.includes(to.specifier)))
    .map((edge) => `${edge.from}:${edge.line} may not import ${describe(edge.to)}`)
}

/** Imports of the folder's own files that are not part of the graph: tests and their means, in the first place. */
export function findTestImports(graph: ImportGraph): string[] {
  const files = new Set(graph.files)
  return graph.edges.flatMap(({ from, line, to }) => {
    const isTest = to.kind === 'file' && /\.(ts|tsx|mts)$/.test(to.path) && !files.has(to.path)
    return isTest && !to.path.includes('generated/') ? [`${from}:${line} leans on the test file ${to.path}`] : []
  })
}

/** Groups of files that import each other in a circle. */
export function findImportCycles(graph: ImportGraph): string[][] {
  const next = new Map<string, string[]>(graph.files.map((file) => [file, []]))
  for (const { from, to } of graph.edges) {
    if (to.kind === 'file') next.get(from)?.push(to.path)
  }
  const done = new Set<string>()
  const cycles: string[][] = []
  const walk = (file: string, trail: string[]) => {
    const seenAt = trail.indexOf(file)
    if (seenAt >= 0) cycles.push([...trail.slice(seenAt), file])
    if (seenAt >= 0 || done.has(file)) return
    for (const other of next.get(file) ?? []) walk(other, [...trail, file])
    done.add(file)
  }
  for (const file of graph.files) walk(file, [])
  return cycles
}

/**
 * Rooms beside each other that know each other, by whatever way round: `a <-> b`. Each folder is a room of the folder
 * above; what lies in a folder itself, beside its rooms, wires these together, so no room may know it.
 */
export function findRoomCycles(graph: ImportGraph): string[] {
  const known = new Map<string, Map<string, Set<string>>>()
  for (const { from, to } of graph.edges) {
    if (to.kind !== 'file') continue
    const [a, b] = [from.split('/'), to.path.split('/')]
    const depth = a.findIndex((part, i) => part !== b[i])
    if (depth < 0) continue
    const above = a.slice(0, depth).join('/')
    const [one, other] = [a, b].map((parts) => (parts.length - 1 > depth ? (parts[depth] ?? '') : '.'))
    if (one === undefined || other === undefined || one === other) continue
    const rooms = known.get(above) ?? new Map<string, Set<string>>()
    known.set(above, rooms.set(one, (rooms.get(one) ?? new Set()).add(other)))
  }
  return [...known].flatMap(([above, rooms]) => mutual(rooms).map((pair) => `${above || '.'}: ${pair}`))
}

function mutual(rooms: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reached = new Map([...rooms.keys()].map((room) => [room, reach(rooms, room)]))
  return [...reached].flatMap(([room, others]) =>
    [...others].filter((other) => room < other && reached.get(other)?.has(room)).map((other) => `${room} <-> ${other}`),
  )
}

function reach(rooms: ReadonlyMap<string, ReadonlySet<string>>, start: string): ReadonlySet<string> {
  const seen = new Set<string>(rooms.get(start) ?? [])
  // A set grows while it is walked.
  for (const room of seen) for (const next of rooms.get(room) ?? []) seen.add(next)
  return seen
}
