/** Entry of the looker: `node look.js`. Answers line by line, and ends when nobody asks any more. */
import { createInterface } from 'node:readline'
import { answerLine } from './look'

process.stdout.on('error', () => process.exit(1))
for await (const line of createInterface({ input: process.stdin })) process.stdout.write(`${answerLine(line)}\n`)
