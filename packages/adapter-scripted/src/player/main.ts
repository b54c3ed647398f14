/**
 * `scripted-cli --state <folder>`: a coding agent without a model. It plays the script that a prompt carries, over JSON
 * lines on stdin and stdout. Bundled as one file without dependencies.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { ToPlayer } from '../script/frames'
import { Player } from './player'
import { Printer } from './printer'

const PLAYER_VERSION = '1.0.0'

function stateDirOf(args: string[]): string {
  const at = args.indexOf('--state')
  return args[at + 1] ?? join(process.cwd(), '.roundhouse-scripted')
}

function main(): void {
  const args = process.argv.slice(2)
  if (args.includes('--version')) {
    process.stdout.write(`scripted-cli ${PLAYER_VERSION}\n`)
    return
  }
  const around = {
    printer: new Printer(process.stdout),
    stateDir: stateDirOf(args),
    workDir: process.cwd(),
    env: process.env,
    exit: (code: number) => process.exit(code),
  }
  // The reader went away; the end of stdin says the rest.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)

  let player: Promise<Player | null> | undefined
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => {
    const frame = JSON.parse(line) as ToPlayer
    if (!player && frame.type === 'start') {
      player = Player.start(around, frame)
      void player.then((started) => started ?? process.exit(1))
    } else void player?.then((started) => started?.take(frame))
  })
  lines.on('close', () => {
    if (player) void player.then((started) => started?.hostLeft())
    else process.exit(0)
  })
}

main()
