/** Runs the command that the page offers for copying, as a shell on a new machine would: `roundhouse-agent` is on the PATH. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { repoRoot } from '../common/paths'

export async function spawnJoin(command: string, home: string): Promise<void> {
  const bin = path.join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  const program = path.join(bin, 'roundhouse-agent')
  writeFileSync(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${path.join(repoRoot, 'apps/agent/dist/main.js')}" "$@"\n`,
  )
  chmodSync(program, 0o755)
  const env = { PATH: `${bin}:${process.env.PATH ?? ''}`, HOME: home, ROUNDHOUSE_AGENT_HOME: home }
  const shell = spawn('/bin/sh', ['-c', command], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = await once(shell, 'exit')
  if (code !== 0) throw new Error(`the copied command failed with ${code}:\n${said}`)
}
