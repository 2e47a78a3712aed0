// The link of an invitation, to be sent to somebody.

import { fill, html } from "../ui/element.js";
import { strings } from "../strings/strings.js";

const t = strings.newGame;

export class InviteLink {
  element = html("div", { class: "invite-link", hidden: true });

  /**
   * @param {string} invite
   * @param {string} rules
   */
  show(invite, rules) {
    this.element.hidden = false;
    fill(this.element, html("p", { class: "lead" }, t.inviteMade), linkField(invite, rules), html("p", { class: "soft" }, t.inviteAbout));
    this.element.querySelector("input")?.select();
  }

  hide() {
    this.element.hidden = true;
  }
}

/**
 * The link with the buttons to copy and to share it.
 * @param {string} invite
 * @param {string} rules
 */
export function linkField(invite, rules) {
  const url = new URL(`/join/${invite}`, location.href).href;
  const field = html("input", { readonly: true, value: url, "aria-label": t.link, onfocus: () => field.select() });
  const copy = html("button", { type: "button", onclick: () => copyLink() }, t.copy);
  const copyLink = async () => {
    try {
      await navigator.clipboard.writeText(url);
    } catch {
      // Without the permission, the browser still copies what is selected.
      field.select();
      document.execCommand("copy");
    }
    fill(copy, t.copied);
  };
  const share = () => navigator.share({ url, title: strings.title, text: t.shareText(strings.gameName(rules)) }).catch(() => {});
  return html(
    "div",
    { class: "link-field" },
    field,
    copy,
    "share" in navigator && html("button", { type: "button", class: "quiet", onclick: share }, t.share),
  );
}
