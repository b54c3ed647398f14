export { variation, variations, wholeMatrix } from '../../../../scripts/lib/runs/variation.mjs'
