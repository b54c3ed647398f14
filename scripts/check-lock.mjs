// Every per-platform package that the lock names as optional must have its own entry. npm silently leaves out packages that
// its registry lacked on that day; a Mac or a Windows machine then gets no binary, or npm ci fails.
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { inRoot } from './lib/common/paths.mjs'

/** The registry had none for these systems when the lock was made. Nothing that we test uses them. */
const known = /^@teddyzhu\/clipboard-/

const nameOf = (key) => key.split('node_modules/').pop()

/** `package -> optional package` for each that has no entry in the lock. */
export function findMissingOptionals(lock) {
  const present = new Set(Object.keys(lock.packages).map(nameOf))
  return Object.entries(lock.packages).flatMap(([key, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !present.has(name))
      .map((name) => `${nameOf(key)} -> ${name}`),
  )
}

/** `package: lock says X, package.json says Y` for each workspace whose dependencies the lock does not repeat. */
export function findStaleManifests(lock, readManifest) {
  const own = Object.keys(lock.packages).filter((key) => !key.includes('node_modules'))
  return own.flatMap((key) =>
    ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((field) => {
      const locked = lock.packages[key][field] ?? {}
      const wanted = readManifest(key)[field] ?? {}
      return [...new Set([...Object.keys(locked), ...Object.keys(wanted)])]
        .filter((name) => locked[name] !== wanted[name])
        .map((name) => `${key || 'root'}: ${name} is ${locked[name]} in the lock and ${wanted[name]} in package.json`)
    }),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const readJson = (...parts) => JSON.parse(readFileSync(inRoot(...parts), 'utf8'))
  const faults = ['', 'e2e/real-backends', 'e2e/real-backends/more'].flatMap((folder) => {
    const lock = readJson(folder, 'package-lock.json')
    return [
      ...findMissingOptionals(lock)
        .filter((line) => !known.test(line.split(' -> ')[1]))
        .map((line) => `${folder}/package-lock.json: no entry for the optional ${line}`),
      ...findStaleManifests(lock, (key) => readJson(folder, key, 'package.json')),
    ]
  })
  console.log(faults.length === 0 ? 'the locks are complete' : faults.join('\n'))
  process.exitCode = faults.length === 0 ? 0 : 1
}
