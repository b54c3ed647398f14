// Reads the imports of a folder's files: static, re-exporting, dynamic and type imports, all counted alike, because a room
// that only imports a type still knows the other room. It parses the files instead of matching patterns.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'rolldown/utils'

export const repositoryRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** A file of the graph by its path below the folder, or what lies outside of it. */
export type ImportTarget =
  | { kind: 'file'; path: string }
  | { kind: 'outside'; path: string }
  | { kind: 'package'; name: string; specifier: string }

export interface ImportEdge {
  from: string
  line: number
  to: ImportTarget
}

export interface ImportGraph {
  files: string[]
  edges: ImportEdge[]
}

export interface ReadOptions {
  /** Import prefixes that stand for a place in the folder, such as `{ '@/': '' }`. */
  aliases?: Record<string, string>
  /** Tests may know more than the code they test, so they are left out unless asked for. */
  withTests?: boolean
}

const sourceFile = /\.(ts|tsx|mts|mjs)$/
const testFile = /\.(test|suite|bench)\.(ts|tsx|mts|mjs)$/
/** Folders that hold nothing but the means of tests. */
const testFolders = new Set(['testing', 'simulator'])
const skippedFolders = new Set(['node_modules', 'dist', '.next', '.turbo', 'generated', 'fixtures'])
const tries = ['', '.ts', '.tsx', '.mts', '.mjs', '/index.ts', '/index.tsx']

const posix = (name: string) => name.split(path.sep).join('/')

function listSources(folder: string, withTests: boolean): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name)
    const isSkipped = skippedFolders.has(entry.name) || (!withTests && testFolders.has(entry.name))
    if (entry.isDirectory()) return isSkipped ? [] : listSources(full, withTests)
    return sourceFile.test(entry.name) && (withTests || !testFile.test(entry.name)) ? [full] : []
  })
}

function resolveFile(candidate: string): string {
  const isFile = (name: string) => existsSync(name) && statSync(name).isFile()
  const bare = candidate.replace(/\.(js|mjs)$/, '')
  for (const base of [candidate, bare]) {
    const found = tries.map((suffix) => base + suffix).find(isFile)
    if (found !== undefined) return found
  }
  return candidate // generated code may not be there yet; its place is known all the same
}

const packageName = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

interface Specifier {
  value: string
  start: number
}

/** Every module that a source text names, in the order of the text. */
export function findSpecifiers(fileName: string, source: string): Specifier[] {
  const { program, module, errors } = parseSync(fileName, source)
  if (errors[0] !== undefined) throw new Error(`${fileName}: ${errors[0].message}`)
  const found: Specifier[] = module.staticImports.map((one) => one.moduleRequest)
  for (const entry of module.staticExports.flatMap((one) => one.entries)) {
    if (entry.moduleRequest) found.push(entry.moduleRequest)
  }
  const addLiteral = (node: { type: string; value?: unknown; start: number }) => {
    if (node.type === 'Literal' && typeof node.value === 'string') found.push({ value: node.value, start: node.start })
  }
  new Visitor({
    ImportExpression: (node) => addLiteral(node.source),
    TSImportType: (node) => addLiteral(node.source),
    CallExpression(node) {
      const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require'
      if (isRequire && node.arguments[0]) addLiteral(node.arguments[0])
    },
  }).visit(program)
  return found
}

export function readImportGraph(folder: string, options: ReadOptions = {}): ImportGraph {
  const base = path.resolve(repositoryRoot, folder)
  const files = listSources(base, options.withTests ?? false)
  const locate = (importer: string, specifier: string): ImportTarget => {
    const alias = Object.entries(options.aliases ?? {}).find(([prefix]) => specifier.startsWith(prefix))
    if (alias === undefined && !specifier.startsWith('.')) {
      return { kind: 'package', name: packageName(specifier), specifier }
    }
    const place = alias
      ? path.join(base, alias[1], specifier.slice(alias[0].length))
      : path.resolve(path.dirname(importer), specifier)
    const relative = posix(path.relative(base, resolveFile(place)))
    if (!relative.startsWith('../')) return { kind: 'file', path: relative }
    return { kind: 'outside', path: posix(path.relative(repositoryRoot, resolveFile(place))) }
  }
  const edges = files.flatMap((file) => {
    const source = readFileSync(file, 'utf8')
    const from = posix(path.relative(base, file))
    return findSpecifiers(file, source).map(({ value, start }) => ({
      from,
      line: source.slice(0, start).split('\n').length,
      to: locate(file, value),
    }))
  })
  return { files: files.map((file) => posix(path.relative(base, file))), edges }
}
