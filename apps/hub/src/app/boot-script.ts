/**
 * The first script of every page: the chosen theme and density before the first paint, the nonce for libraries that add style
 * elements, and the `default` Trusted Types policy. The policy lets Next load its own lazy chunks and refuses any other
 * script address and any markup; the chunk loader is not Trusted Types aware by itself.
 */
export function bootScript(nonce: string): string {
  return `(function(){
window.__webpack_nonce__=${JSON.stringify(nonce)};
try{var t=localStorage.getItem('roundhouse.theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t;if(localStorage.getItem('roundhouse.density')==='dense')document.documentElement.dataset.density='dense'}catch(e){}
if(window.trustedTypes)trustedTypes.createPolicy('default',{
createScriptURL:function(u){var x=new URL(u,location.href);if(x.origin===location.origin&&x.pathname.indexOf('/_next/static/')===0)return u;throw new TypeError('script address refused')},
createHTML:function(s){if(s.indexOf('<')<0)return s;throw new TypeError('markup refused')}})
})()`
}
