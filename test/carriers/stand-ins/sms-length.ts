/** The default alphabet of GSM 03.38 (3GPP TS 23.038), one septet each. */
const gsmBasic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension table: an escape and one more septet. */
const gsmExtension = new Set('\f^{}\\[~]|€')

/** The length in septets, or undefined where the text has a character that GSM-7 lacks. */
export function gsmLength(text: string): number | undefined {
  let septets = 0
  for (const character of text) {
    if (gsmBasic.has(character)) septets += 1
    else if (gsmExtension.has(character)) septets += 2
    else return undefined
  }
  return septets
}

/** How many parts the text takes: 160/153 septets of GSM-7, or 70/67 code units of UCS-2. */
export function smsParts(text: string): { encoding: 'GSM-7' | 'UCS-2'; parts: number } {
  const septets = gsmLength(text)
  if (septets !== undefined) {
    return { encoding: 'GSM-7', parts: septets <= 160 ? 1 : Math.ceil(septets / 153) }
  }
  return { encoding: 'UCS-2', parts: text.length <= 70 ? 1 : Math.ceil(text.length / 67) }
}
