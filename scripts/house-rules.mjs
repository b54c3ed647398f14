// node scripts/house-rules.mjs: sizes of files, folders and interfaces, focused tests, shells, paths of one machine and paths
// that documents name, over all files of the repository.
import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { listFiles } from './lib/common/files.mjs'
import { inRoot, root } from './lib/common/paths.mjs'
import {
  findCrowdedFolders,
  findFocusedTests,
  findLongFile,
  findMachinePaths,
  findShells,
  findSlowTrims,
  findWideInterfaces,
  withoutKnown,
} from './lib/house/house-rules.mjs'
import { findLostPaths, placesOf } from './lib/house/named-paths.mjs'

/** The published contract of adapters. */
const published = ['packages/backend-types/src/adapter/adapter.ts BackendAdapter']

const isText = (name) => !/\.(png|jpe?g|gif|ico|webp|woff2?|gz|db|wasm)$/.test(name)

// This checkout, its neighbours, the home folder: what slips in. Folders that anybody may have are left out.
const usual = new Set(['/', '/root', '/home', '/tmp', '/app', '/src', '/opt', '/mnt', os.tmpdir()])
const above = path.dirname(root)
const neighbours = usual.has(above) ? [] : readdirSync(above).map((name) => path.join(above, name))
const places = [...new Set([root, os.homedir(), ...neighbours])].filter((place) => !usual.has(place))

const all = listFiles()
const names = all.filter(isText)
const ours = placesOf(all)
const found = [
  ...findCrowdedFolders(names),
  ...names.flatMap((name) => {
    const text = readFileSync(inRoot(name), 'utf8')
    return [
      ...findLongFile(name, text),
      ...findWideInterfaces(name, text),
      ...findFocusedTests(name, text),
      ...findShells(name, text),
      ...findSlowTrims(name, text),
      ...findMachinePaths(name, text, places),
      ...findLostPaths(name, text, ours),
    ]
  }),
]
const faults = withoutKnown(found, published)
console.log(faults.length === 0 ? 'the house rules are kept' : faults.join('\n'))
process.exitCode = faults.length === 0 ? 0 : 1
