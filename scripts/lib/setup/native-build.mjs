// SQLite is a native package. If its prebuilt file cannot be downloaded, npm builds it here, which needs the headers of this
// Node.js, a compiler, make and Python. npm would download the headers too, so this names the ones that came with Node.js.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const headerIn = (folder) => path.join(folder, 'include', 'node', 'node.h')

/** The folder into which this Node.js was installed, where its headers are there too, and are its own. */
export function headersBeside({ execPath, versions } = process) {
  const prefix = path.dirname(path.dirname(execPath))
  if (!existsSync(headerIn(prefix))) return null
  const text = readFileSync(path.join(prefix, 'include', 'node', 'node_version.h'), 'utf8')
  const major = /^#define NODE_MAJOR_VERSION (\d+)/m.exec(text)?.[1]
  return major === versions.node.split('.')[0] ? prefix : null
}

const namedHeaders = (env) => Object.entries(env).find(([name]) => /^npm_config_nodedir$/i.test(name))?.[1]

/** What is added to the environment of an npm that installs. What its owner has set stays. */
export function buildEnvironment(env = process.env, beside = headersBeside()) {
  return namedHeaders(env) || beside === null ? {} : { npm_config_nodedir: beside }
}

/** What a build needs and this machine does not have, as words for a person. */
export function findMissing(env = process.env, { runs = canRun, beside = headersBeside() } = {}) {
  const cxx = env.CXX ?? (process.platform === 'darwin' ? 'c++' : 'g++')
  const pythons = [env.npm_config_python ?? env.PYTHON ?? 'python3', 'python']
  const headers = namedHeaders(env) || beside !== null || existsSync(headerIn(downloadedHeaders()))
  return [
    ...(process.platform === 'win32' || runs(cxx) ? [] : [`a C++ compiler (${cxx})`]),
    ...(process.platform === 'win32' || runs('make') ? [] : ['make']),
    ...(pythons.some(runs) ? [] : ['Python 3']),
    ...(headers ? [] : [`the headers of Node.js ${process.versions.node} (node.h)`]),
  ]
}

const canRun = (program) => spawnSync(program.split(' ')[0], ['--version'], { stdio: 'ignore' }).status === 0

/** Where node-gyp keeps headers that it could download. */
function downloadedHeaders() {
  const caches = {
    darwin: path.join(os.homedir(), 'Library', 'Caches'),
    win32: process.env.LOCALAPPDATA ?? os.homedir(),
  }
  const cache = caches[process.platform] ?? process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache')
  const folder = process.platform === 'win32' ? path.join(cache, 'node-gyp', 'Cache') : path.join(cache, 'node-gyp')
  return path.join(folder, process.versions.node)
}

const tools = {
  '/usr/bin/apt-get': 'apt-get install g++ make python3',
  '/usr/bin/dnf': 'dnf install gcc-c++ make python3',
  '/sbin/apk': 'apk add g++ make python3',
  '/usr/bin/xcode-select': 'xcode-select --install',
}

/**
 * One sentence about an npm that failed because SQLite could not be built, or null where it failed for another reason.
 * `output` is all that npm said.
 */
export function whyNotBuilt(output, missing = findMissing()) {
  if (!/better-sqlite3/.test(output) || !/gyp ERR!|not found: make|prebuild-install/.test(output)) return null
  const what = 'SQLite (better-sqlite3) has no prebuilt file that could be downloaded here, and building it failed'
  if (missing.length === 0) {
    return `${what}, although compiler, make, Python and the headers of Node.js are there: npm's lines above say why.`
  }
  const [last, ...others] = [...missing].reverse()
  const list = others.length === 0 ? last : `${others.reverse().join(', ')} and ${last}`
  const installer = Object.entries(tools).find(([program]) => existsSync(program))?.[1]
  const isTool = (name) => !name.startsWith('the headers')
  const advice = [
    ...(missing.some(isTool) ? [installer ? `run ${installer}` : 'install them'] : []),
    ...(missing.every(isTool)
      ? []
      : [
          'take a Node.js from nodejs.org, which brings its headers, or set npm_config_nodedir to a folder with include/node/node.h',
        ]),
  ]
  return `${what}: this machine lacks ${list}; ${advice.join(', and ')}, then start this again.`
}
