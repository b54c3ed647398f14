/**
 * Checks the whole policy file and reports every problem, while the daemon stops at the first. Each finding has a stable
 * code and one plain line.
 */
import { realpathSync, type Stats, statSync } from 'node:fs'
import path from 'node:path'
import { valueFault } from '@roundhouse/backend-types'
import { readOwnFile } from '@roundhouse/owner'
import type { z } from 'zod'
import { isInside } from '../files/is-inside'
import { Policy } from './policy'
import { whoElseWrites } from './who-else-writes'

export interface Finding {
  code:
    | 'UNREADABLE'
    | 'NOT_JSON'
    | 'UNKNOWN_KEY'
    | 'BAD_VALUE'
    | 'WRITABLE_BY_OTHERS'
    | 'ROOT_MISSING'
    | 'POLICY_IN_ROOT'
    | 'ROOT_IN_HOME'
    | 'BACKEND_MISSING'
    | 'PROGRAM_IN_ROOT'
    | 'NOTES_UNUSABLE'
  text: string
}

/** `home` contains the file and the agent's key. A missing file means the careful defaults, and is not a problem. */
export function checkPolicy(file: string, home: string): Finding[] {
  let text: string
  try {
    text = readOwnFile(file, { links: 'followed' })
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return absent ? [] : [{ code: 'UNREADABLE', text: `${file} cannot be read: ${messageOf(error)}` }]
  }
  const writable = whoElseWrites(file, home).map((text): Finding => ({ code: 'WRITABLE_BY_OTHERS', text }))
  return [...writable, ...checkText(text, file, home)]
}

function checkText(text: string, file: string, home: string): Finding[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return [{ code: 'NOT_JSON', text: `${file} is not JSON: ${messageOf(error)}` }]
  }
  const read = Policy.safeParse(value)
  if (!read.success) return read.error.issues.flatMap(issueFindings)
  const { roots, backends = {}, programs = {}, notes } = read.data
  const places = [
    ...Object.entries(backends).map(([kind, { path }]) => [kind, path] as const),
    ...Object.entries(programs).map(([kind, { argv }]) => [kind, argv[0]] as const),
  ]
  // An interpreter is told its program as an argument.
  const files = [
    ...places,
    ...Object.entries(programs).flatMap(([kind, { argv }]) => argv.slice(1).map((word) => [kind, word] as const)),
  ]
  return [
    ...roots.flatMap((root) => checkRoot(root, home, [realOf(home), realOf(file)])),
    ...places.flatMap(([kind, program]): Finding[] =>
      program === undefined || statOf(program)?.isFile()
        ? []
        : [{ code: 'BACKEND_MISSING', text: `The program of ${kind} is not there: ${program}` }],
    ),
    ...files.flatMap(([kind, named]) => checkProgram(kind, named, roots)),
    ...(notes === undefined ? [] : checkNotes(notes, roots)),
  ]
}

/** Whoever can write the file of a program decides what runs. */
function checkProgram(kind: string, file: string | undefined, roots: readonly string[]): Finding[] {
  if (file === undefined || !path.isAbsolute(file) || !statOf(file)?.isFile()) return []
  const root = roots.find((one) => isInside(realOf(file), realOf(one)))
  if (root === undefined) return []
  const text = `The program of ${kind} is inside the root ${root}: a session could replace it. ${file}`
  return [{ code: 'PROGRAM_IN_ROOT', text }]
}

/** Sessions go on without the notes. What is wrong with one of them is told in a session of that role. */
function checkNotes(notes: string, roots: readonly string[]): Finding[] {
  const real = realOf(notes)
  const root = roots.find((one) => isInside(real, realOf(one)) || isInside(realOf(one), real))
  const texts = !statOf(notes)?.isDirectory()
    ? [`There is no folder of notes at ${notes}.`]
    : root !== undefined
      ? [`The folder of notes ${notes} overlaps the root ${root}: programs could write notes.`]
      : whoElseWrites(notes, notes)
  return texts.map((text) => ({ code: 'NOTES_UNUSABLE', text }))
}

function issueFindings(issue: z.core.$ZodIssue): Finding[] {
  const place = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys')
    return [{ code: 'BAD_VALUE', text: `${place || 'the file'}: ${valueFault(issue)}` }]
  return issue.keys.map((key) => ({
    code: 'UNKNOWN_KEY',
    text: `There is no key ${JSON.stringify(place === '' ? key : `${place}.${key}`)}.`,
  }))
}

function checkRoot(root: string, home: string, own: readonly string[]): Finding[] {
  const found = statOf(root)
  if (!found?.isDirectory()) {
    return [{ code: 'ROOT_MISSING', text: `The root ${root} is ${found ? 'no folder' : 'not there'}.` }]
  }
  if (realOf(root) !== realOf(home) && isInside(realOf(root), realOf(home))) {
    return [{ code: 'ROOT_IN_HOME', text: `The root ${root} belongs to the agent itself: no session may use it.` }]
  }
  if (!own.some((place) => isInside(place, realOf(root)))) return []
  return [{ code: 'POLICY_IN_ROOT', text: `The root ${root} holds the agent's own key and policy.` }]
}

function statOf(place: string): Stats | null {
  try {
    return statSync(place)
  } catch {
    return null
  }
}

function realOf(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    return path.resolve(place)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
