/** The addresses of the hub's pages, read from the folders that define them, so that a new page is included. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { repoRoot } from '../common/paths'

export interface PageRoute {
  /** With placeholders for its parameters. */
  path: string
  /** Reached without a login. */
  isGate: boolean
}

export function pageRoutes(values: Readonly<Record<string, string>>): PageRoute[] {
  const app = path.join(repoRoot, 'apps/hub/src/app')
  return readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((file) => path.basename(file) === 'page.tsx')
    .map((file) => {
      const folders = path.dirname(file).split(path.sep)
      const parts = folders.filter((folder) => folder !== '.' && !folder.startsWith('('))
      return { path: `/${parts.map((part) => filled(part, values)).join('/')}`, isGate: !folders.includes('(hub)') }
    })
    .sort((a, b) => a.path.localeCompare(b.path))
}

function filled(part: string, values: Readonly<Record<string, string>>): string {
  const name = /^\[(\w+)\]$/.exec(part)?.[1]
  if (name === undefined) return part
  const value = values[name]
  if (value === undefined) throw new Error(`say what stands for [${name}] in the address of a page`)
  return value
}
