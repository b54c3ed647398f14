import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../common/paths.mjs'

/** The first version that is not known to be open to what docs/acceptance.md names. */
const floors: Readonly<Record<string, string>> = {
  'socket.io-parser': '4.2.7',
  'engine.io': '6.6.7',
  ws: '8.21.0',
  next: '16.4.0',
  react: '19.3.0',
  'react-dom': '19.3.0',
  'better-auth': '1.7.6',
}

const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')) as {
  packages: Record<string, { version?: string }>
}
const installed = (name: string) =>
  Object.entries(packages).flatMap(([place, { version }]) => (place.endsWith(`node_modules/${name}`) ? [version] : []))

const isAtLeast = (version: string | undefined, floor: string) =>
  String(version).localeCompare(floor, 'en', { numeric: true }) >= 0

describe('the lock', () => {
  it.each(Object.entries(floors))('[A45] [A49] holds %s from %s on, wherever it stands', (name, floor) => {
    const versions = installed(name)
    expect(versions.length).toBeGreaterThan(0)
    expect(versions.filter((version) => !isAtLeast(version, floor))).toEqual([])
  })

  it('[A4] holds no simple-git, which takes options from names', () => {
    expect(installed('simple-git')).toEqual([])
  })
})
