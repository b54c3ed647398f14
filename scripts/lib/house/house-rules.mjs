// The few rules about source text that neither the formatter nor the compiler checks. Pure: takes name and text, returns
// plain sentences.

const maxLines = 350
const maxTestLines = 400
const maxFiles = 25
const maxMembers = 15

const isSource = (name) => /\.(ts|tsx|mts|mjs)$/.test(name) && !/(^|\/)(generated|fixtures)\//.test(name)
const isTest = (name) => /\.(test|spec|suite)\.(ts|tsx|mjs)$/.test(name)

const lineAt = (text, index) => text.slice(0, index).split('\n').length

/** Long files hold several names; the limit is a wall, the aim is far below it. */
export function findLongFile(name, text) {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const limit = isTest(name) ? maxTestLines : maxLines
  return isSource(name) && lines > limit ? [`${name} has ${lines} lines, ${limit} is the limit`] : []
}

/** A reader takes in a folder at a glance; beyond that it has rooms. Tests lie beside their sources and do not count. */
export function findCrowdedFolders(names) {
  const folders = new Map()
  for (const name of names.filter((one) => isSource(one) && !isTest(one))) {
    const folder = name.split('/').slice(0, -1).join('/')
    folders.set(folder, (folders.get(folder) ?? 0) + 1)
  }
  return [...folders].flatMap(([folder, files]) =>
    files > maxFiles ? [`${folder} has ${files} source files beside each other, ${maxFiles} is the limit`] : [],
  )
}

/** An interface has what one caller needs. The formatter has put each member on a line of its own. */
export function findWideInterfaces(name, text) {
  if (!isSource(name)) return []
  const interfaces = text.matchAll(/^(?:export )?interface (\w+)[^{\n]*\{\n(.*?)^\}/gms)
  return [...interfaces].flatMap(([, title, body]) => {
    const members = body.match(/^ {2}[\w[('"]/gm)?.length ?? 0
    return members > maxMembers ? [`${name} ${title} has ${members} members, ${maxMembers} is the limit`] : []
  })
}

/** Faults that somebody still has to mend, by their beginning; an entry without a fault is one itself. */
export function withoutKnown(faults, known) {
  const isOf = (fault) => (start) => fault.startsWith(`${start} has `)
  return [
    ...faults.filter((fault) => !known.some(isOf(fault))),
    ...known
      .filter((start) => !faults.some((fault) => isOf(fault)(start)))
      .map((start) => `scripts/house-rules.mjs excuses ${start}, which needs it no more`),
  ]
}

/** A focused test silences all the others. */
export function findFocusedTests(name, text) {
  if (!isTest(name)) return []
  return [...text.matchAll(/\b(?:it|test|describe)(?:\.\w+)*\.only\b/g)].map(
    (match) => `${name}:${lineAt(text, match.index)} focuses one test: ${match[0]}`,
  )
}

/** A path that exists only where somebody wrote the file. `places` are absolute folders. */
export function findMachinePaths(name, text, places) {
  return places.flatMap((place) => {
    const escaped = place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const pattern = new RegExp(`(?<![\\w./~-])${escaped}(?=[/\\\\])`, 'g')
    return [...text.matchAll(pattern)].map(
      (match) => `${name}:${lineAt(text, match.index)} names ${place} of one machine`,
    )
  })
}

/** Programs are started with their arguments as a list. A batch file of Windows starts through its shell only, by name. */
export function findShells(name, text) {
  if (!isSource(name)) return []
  const imported = /import \{([^}]*)\} from ['"](?:node:)?child_process['"]/g
  const named = [...text.matchAll(imported)].filter(([, names]) => /\b(exec|execSync)\b/.test(names))
  const asked = text.matchAll(/\bshell: ?(?:true\b|['"`]\/)|\bchild_process\b['"]?\)?\.exec(?:Sync)?\b/g)
  return [...named, ...asked].map((match) => `${name}:${lineAt(text, match.index)} lets a shell read a command`)
}

/**
 * A pattern that takes away the end of a text and may begin anywhere in it looks at each run once for each of its characters:
 * a text of a program that is one long run keeps it busy for hours. A lookbehind lets it begin at the run alone.
 */
export function findSlowTrims(name, text) {
  if (!isSource(name) || isTest(name) || !/^(?:apps|packages)\//.test(name)) return []
  const ends = /^.*(?:\\.|\[(?:[^\]\\\n]|\\.)*\]|[\w)])[+*]\$\/[dgimsuvy]*(?=[.,)\s]).*$/gm
  return [...text.matchAll(ends)]
    .filter(([line]) => !/\/\^|\(\?<[!=]/.test(line))
    .map(
      (match) =>
        `${name}:${lineAt(text, match.index)} looks for the end of a text from each place in it: ${match[0].trim()}`,
    )
}
