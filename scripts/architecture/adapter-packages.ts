// The packages that each drive a program: all of `packages/adapter-*` except the shared kit and the test kit.
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from './import-graph'

const tools = ['adapter-kit', 'adapter-testkit']

export const adapterPackages = (): string[] =>
  readdirSync(path.join(repositoryRoot, 'packages')).filter(
    (name) => name.startsWith('adapter-') && !tools.includes(name),
  )
