/**
 * Recognizes the sentence in which a program or its model service says that there is no such model, or none for this account. Programs pass
 * the sentence on and drop the code of the service. Pure.
 */

const missing =
  "(?:not (?:found|supported|available|exist)|(?:isn't|isn’t) (?:available|supported)|does(?: not|n't) exist|unavailable|unknown|no access|not have access)"

const sentences: readonly RegExp[] = [
  /model_?not_?found/i,
  // The 404 of Anthropic: `model: <name>`, with nothing behind it.
  /^(?:.*\W)?model: \S+$/is,
  /\bselected model\b/i,
  // "The model `x` does not exist", "models/x is not found": the model comes before what is said of it, in the same sentence.
  new RegExp(`\\bmodels?\\b(?:[^.]|\\.(?=\\S))*?\\b${missing}`, 'i'),
  /\b(?:unknown|invalid|no such) model\b/i,
]

/** Some services answer with a whole page. */
const LONGEST = 2_000

export function saysNoSuchModel(said: string): boolean {
  const sentence = said.trim().slice(0, LONGEST)
  return sentences.some((one) => one.test(sentence))
}
