// Child processes for the scripts: quiet on success, with all their output on failure.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { inRoot, root } from './paths.mjs'

const windows = process.platform === 'win32'

/** A person reads only the sentence; the stack of an expected refusal would hide it. */
export class PlainError extends Error {}

/** A tool of node_modules. On Windows the shim is a batch file, which needs a shell. */
export const tool = (name) => inRoot('node_modules', '.bin', windows ? `${name}.cmd` : name)

/** npm itself: the very one that runs us, where one does. */
export function npmCommand(...args) {
  const cli = process.env.npm_execpath
  return cli?.endsWith('.js') ? [process.execPath, cli, ...args] : [windows ? 'npm.cmd' : 'npm', ...args]
}

/**
 * Runs a command to its end, without standard input. `show` passes its output through, otherwise it is kept; `keep` does both.
 * @param {string[]} command
 * @param {{ show?: boolean, keep?: boolean, env?: Record<string, string | undefined>, cwd?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run([file, ...args], { show = false, keep = !show, env = {}, cwd = root } = {}) {
  return new Promise((resolve) => {
    const stream = keep ? 'pipe' : 'inherit'
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', stream, stream],
      shell: windows && /\.cmd$/.test(file),
    })
    let output = ''
    const pass = (own) => (chunk) => {
      output += chunk
      if (show) own.write(chunk)
    }
    child.stdout?.setEncoding('utf8').on('data', pass(process.stdout))
    child.stderr?.setEncoding('utf8').on('data', pass(process.stderr))
    child.on('error', (error) => resolve({ code: 127, output: `${path.basename(file)}: ${error.message}` }))
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** Like `run`, but anything other than success ends with `what` failed and the output. */
export async function mustRun(what, command, options) {
  const result = await run(command, options)
  if (result.code !== 0) throw new PlainError(`${result.output}\n${what} failed (exit code ${result.code}).`)
  return result.output
}

export const seconds = (sinceMs) => `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`
