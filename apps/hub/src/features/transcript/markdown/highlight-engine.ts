/** Only shiki's tokeniser: its HTML output stays off the page. Loads with the first block of code. */
import { codeToTokensBase, createShikiPrimitiveAsync } from '@shikijs/primitive'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'
import type { LanguageInput, ThemedToken, ThemeRegistrationRaw } from 'shiki/types'

export interface HighlightEngine {
  tokens(code: string, name: string, language: LanguageInput): Promise<ThemedToken[][]>
}

/** The first line compiles the grammar: cut short by the usual half second, it would colour all that follows like its own end. */
const LINE_LIMIT_MS = 5_000

/** The engine is shiki's JavaScript one, since the policy of the page forbids WebAssembly. */
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
