/** Maps letters that look alike to one letter. The result for a name is its skeleton. Pure. */

/** Greek and Cyrillic capitals whose small letter looks like another letter. */
const capitals = pairs('Αa Βb Εe Ζz Ηh Ιi Κk Μm Νn Οo Ρp Τt Υy Χx Іi Јj Ӏl')
const small = pairs(
  'аa вb гr еe һh кk мm нh оo пn рp сc тt уy үy ұy хx ҳx ѕs іi јj ӏl ԁd ԛq ԝw ьb цu шw яr өo',
  'αa βb γy εe ηn ιi κk νv οo ρp σo ςc τt υu χx ωw ϳj ζz',
  'ıi ȷj ɑa ɡg ɩi øo đd ħh łl ŧt ƒf ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
  '0o 1l |l',
)
/** Letters that look like another one, and one that does so in upper case. */
const shapes: ReadonlyArray<[RegExp, string]> = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/i/g, 'l'],
]

/** Without case, accents, spaces and punctuation. */
export function skeletonOf(name: string): string {
  const folded = replaced(name.normalize('NFKC'), capitals).toLowerCase().normalize('NFKD')
  const latin = replaced(folded, small).replace(/[^\p{L}\p{N}]/gu, '')
  return shapes.reduce((text, [shape, letter]) => text.replace(shape, letter), latin)
}

function pairs(...lines: string[]): ReadonlyMap<string, string> {
  return new Map(
    lines
      .join(' ')
      .split(' ')
      .map((pair) => [...pair] as [string, string]),
  )
}

const replaced = (text: string, by: ReadonlyMap<string, string>) =>
  [...text].map((letter) => by.get(letter) ?? letter).join('')
