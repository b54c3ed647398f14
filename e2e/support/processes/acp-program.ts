/** A small program that speaks the Agent Client Protocol and plays the script in its prompt, as a policy names it. */
import path from 'node:path'
import { repoRoot } from '../common/paths'

const file = path.join(repoRoot, 'packages/adapter-acp/src/testing/scripted-program.mjs')

/** `behaviour`: how it starts; the words are in the program itself. */
export const acpProgram = (label: string, ...behaviour: string[]) => ({
  argv: [process.execPath, file, ...behaviour],
  profile: 'generic',
  label,
})
