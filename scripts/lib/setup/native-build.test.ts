import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { buildEnvironment, findMissing, headersBeside, whyNotBuilt } from './native-build.mjs'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A Node.js as its archive unpacks, with the headers of some version or with none. */
function installation(headers?: string) {
  const prefix = mkdtempSync(path.join(os.tmpdir(), 'node-'))
  folders.push(prefix)
  const include = path.join(prefix, 'include/node')
  mkdirSync(include, { recursive: true })
  if (headers !== undefined) {
    writeFileSync(path.join(include, 'node.h'), '')
    writeFileSync(path.join(include, 'node_version.h'), `#define NODE_MAJOR_VERSION ${headers}\n`)
  }
  return { prefix, process: { execPath: path.join(prefix, 'bin/node'), versions: { node: '20.19.0' } } as never }
}

describe('a build of SQLite where only a package registry is reached', () => {
  it('takes the headers that lie beside the Node.js that runs, and no others', () => {
    const own = installation('20')
    expect(headersBeside(own.process)).toBe(own.prefix)
    expect(headersBeside(installation('22').process)).toBeNull()
    expect(headersBeside(installation().process)).toBeNull()
  })

  it('leaves headers that somebody has named, in whatever spelling', () => {
    expect(buildEnvironment({}, '/usr')).toEqual({ npm_config_nodedir: '/usr' })
    expect(buildEnvironment({ NPM_CONFIG_NODEDIR: '/opt' }, '/usr')).toEqual({})
    expect(buildEnvironment({}, null)).toEqual({})
  })

  it.skipIf(process.platform === 'win32')('names what the machine lacks', () => {
    const lacking = (...names: string[]) => ({ runs: (name: string) => !names.includes(name), beside: '/usr' })
    expect(findMissing({ CXX: 'cxx' }, lacking())).toEqual([])
    expect(findMissing({ CXX: 'cxx' }, lacking('cxx', 'make'))).toEqual(['a C++ compiler (cxx)', 'make'])
    expect(findMissing({}, lacking('python3'))).toEqual([])
    expect(findMissing({}, lacking('python3', 'python'))).toEqual(['Python 3'])
  })
})

describe('a build of SQLite that failed', () => {
  const output = 'npm error path node_modules/better-sqlite3\nnpm error gyp ERR! configure error'

  it('is told in one sentence: what is missing, and what to do', () => {
    const said = whyNotBuilt(output, ['make', 'Python 3', 'the headers of Node.js 20.19.0 (node.h)'])
    expect(said).toContain('this machine lacks make, Python 3 and the headers of Node.js 20.19.0 (node.h); ')
    expect(said).toMatch(/install.*, and take a Node\.js from nodejs\.org.*, then start this again\.$/)
    expect(whyNotBuilt(output, ['make'])).toMatch(/lacks make; .*install[^,]*, then start this again\.$/)
    expect(whyNotBuilt(output, [])).toContain("npm's lines above say why")
  })

  it('is not blamed where npm failed for another reason', () => {
    expect(whyNotBuilt('npm error code ECONNRESET', ['make'])).toBeNull()
    expect(whyNotBuilt('npm error gyp ERR! configure error', ['make'])).toBeNull()
  })
})
