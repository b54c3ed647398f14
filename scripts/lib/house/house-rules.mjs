// The few rules about source text that neither the formatter nor the compiler checks. Pure: takes name and text, returns
// plain sentences.

const maxLines = 400

const isSource = (name) => /\.(ts|tsx|mts|mjs)$/.test(name) && !/(^|\/)(generated|fixtures)\//.test(name)
const isTest = (name) => /\.(test|spec|suite)\.(ts|tsx|mjs)$/.test(name)

const lineAt = (text, index) => text.slice(0, index).split('\n').length

/** Long files hold several names; the limit is a wall, the aim is far below it. */
export function findLongFile(name, text) {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return isSource(name) && lines > maxLines ? [`${name} has ${lines} lines, ${maxLines} is the limit`] : []
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
