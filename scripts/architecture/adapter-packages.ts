// The packages that drive a program each: all of `packages/adapter-*` but what they are built on and judged by.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from './import-graph'

const tools = ['adapter-kit', 'adapter-testkit']

export const adapterPackages = (): string[] =>
  readdirSync(path.join(repositoryRoot, 'packages')).filter(
    (name) => name.startsWith('adapter-') && !tools.includes(name),
  )
