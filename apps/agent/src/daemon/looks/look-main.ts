/** Entry of the looker, `node look.js`. Answers line by line and exits when its input ends. */
import { createInterface } from 'node:readline'
import { answerLine } from './look'

const say = (line: string) => void process.stdout.write(`${line}\n`)
process.stdout.on('error', () => process.exit(1))
say(JSON.stringify({ ready: true }))
for await (const line of createInterface({ input: process.stdin })) await answerLine(line, say)
