/** Only shiki's tokeniser: its HTML output stays off the page. Loads with the first block of code. */
import { codeToTokensBase, createShikiPrimitiveAsync } from '@shikijs/primitive'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { LanguageInput, ThemedToken, ThemeRegistrationRaw } from 'shiki/types'

export interface HighlightEngine {
  tokens(code: string, name: string, language: LanguageInput): Promise<ThemedToken[][]>
}

/** The first line compiles the grammar. With the usual half second it would be cut short and colour the rest wrongly. */
const LINE_LIMIT_MS = 5_000

/** Uses shiki's JavaScript engine, because the page's policy forbids WebAssembly. */
export async function createEngine(theme: ThemeRegistrationRaw & { name: string }): Promise<HighlightEngine> {
  const engine = createJavaScriptRegexEngine({ forgiving: true })
  const primitive = await createShikiPrimitiveAsync({ themes: [theme], langs: [], engine })
  return {
    tokens: async (code, name, language) => {
      await primitive.loadLanguage(language)
      return codeToTokensBase(primitive, code, { lang: name, theme: theme.name, tokenizeTimeLimit: LINE_LIMIT_MS })
    },
  }
}
