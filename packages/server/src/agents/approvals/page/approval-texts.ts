import type { Approval } from "../approval.ts";

/** What the page says on which an end user approves a call of their agent. */
export interface ApprovalTexts {
  readonly language: string;
  readonly title: string;
  readonly intro: string;
  readonly destructive: string;
  readonly tainted: string;
  readonly origin: (text: string, tool: string) => string;
  readonly forWhom: string;
  readonly service: string;
  readonly account: string;
  readonly tool: string;
  readonly left: string;
  readonly asked: string;
  readonly nothingAsked: string;
  readonly sent: string;
  /** What a method of HTTP does, in words. */
  readonly methods: Readonly<Record<"read" | "add" | "change" | "remove" | "other", string>>;
  /** What is no request: a change that this server makes itself. */
  readonly inside: string;
  readonly address: string;
  readonly query: string;
  readonly content: string;
  readonly cut: string;
  readonly noText: string;
  readonly further: string;
  readonly after: string;
  readonly approve: string;
  readonly deny: string;
  readonly states: Readonly<
    Record<Exclude<Approval["state"], "waiting"> | "missing", { title: string; text: string }>
  >;
  readonly failed: string;
  readonly failedText: string;
  readonly error: string;
}

const english: ApprovalTexts = {
  language: "en",
  title: "Allow this?",
  intro:
    "An assistant that acts for you wants to make this change. Nothing has been changed yet. Allow it only if you want exactly this.",
  destructive: "This may delete or overwrite data.",
  tainted:
    "The assistant has read texts that others may have written, which may have led it to this.",
  origin: (text, tool) => `“${text}” comes from ${tool}, not from you.`,
  forWhom: "For",
  service: "Service",
  account: "Account",
  tool: "Tool",
  left: "Time left",
  asked: "What the assistant asked for",
  nothingAsked: "Nothing further",
  sent: "What would be sent",
  methods: {
    read: "Reads something",
    add: "Adds or sends something",
    change: "Changes something",
    remove: "Deletes something",
    other: "Sends a request",
  },
  inside: "Changes what is stored for your connection, or starts another tool",
  address: "Address",
  query: "With",
  content: "Content",
  cut: "Only the beginning is shown.",
  noText: "The content is no text.",
  further: "Further details",
  after: "What the tool does after this request, it does without asking again.",
  approve: "Allow",
  deny: "Do not allow",
  states: {
    approved: { title: "Allowed", text: "Go back to the assistant. You can close this window." },
    denied: {
      title: "Not allowed",
      text: "Nothing was changed, and the assistant is informed. You can close this window.",
    },
    used: { title: "Done already", text: "It was allowed, and the assistant has done it." },
    expired: {
      title: "Too late",
      text: "This question has expired, and nothing was changed. The assistant can ask again.",
    },
    missing: {
      title: "Nothing to allow here",
      text: "This question is not there any more. The assistant can ask again.",
    },
  },
  failed: "That did not work",
  failedText: "Close this window and open the link of the assistant again.",
  error: "Error",
};

const german: ApprovalTexts = {
  language: "de",
  title: "Das erlauben?",
  intro:
    "Ein Assistent, der für Sie handelt, möchte diese Änderung vornehmen. Noch ist nichts geändert. Erlauben Sie es nur, wenn Sie genau das möchten.",
  destructive: "Das kann Daten löschen oder überschreiben.",
  tainted:
    "Der Assistent hat Texte gelesen, die andere geschrieben haben können und die ihn hierzu gebracht haben können.",
  origin: (text, tool) => `„${text}“ kommt aus ${tool}, nicht von Ihnen.`,
  forWhom: "Für",
  service: "Dienst",
  account: "Konto",
  tool: "Werkzeug",
  left: "Verbleibende Zeit",
  asked: "Worum der Assistent gebeten hat",
  nothingAsked: "Nichts weiter",
  sent: "Was gesendet würde",
  methods: {
    read: "Liest etwas",
    add: "Fügt etwas hinzu oder sendet etwas",
    change: "Ändert etwas",
    remove: "Löscht etwas",
    other: "Sendet eine Anfrage",
  },
  inside: "Ändert, was zu Ihrer Verbindung gespeichert ist, oder startet ein anderes Werkzeug",
  address: "Adresse",
  query: "Mit",
  content: "Inhalt",
  cut: "Gezeigt wird nur der Anfang.",
  noText: "Der Inhalt ist kein Text.",
  further: "Weitere Einzelheiten",
  after: "Was das Werkzeug nach dieser Anfrage tut, tut es ohne weitere Rückfrage.",
  approve: "Erlauben",
  deny: "Nicht erlauben",
  states: {
    approved: {
      title: "Erlaubt",
      text: "Kehren Sie zum Assistenten zurück. Sie können dieses Fenster schließen.",
    },
    denied: {
      title: "Nicht erlaubt",
      text: "Nichts wurde geändert, und der Assistent erfährt davon. Sie können dieses Fenster schließen.",
    },
    used: { title: "Schon erledigt", text: "Es war erlaubt, und der Assistent hat es getan." },
    expired: {
      title: "Zu spät",
      text: "Diese Frage ist abgelaufen, und nichts wurde geändert. Der Assistent kann noch einmal fragen.",
    },
    missing: {
      title: "Hier gibt es nichts zu erlauben",
      text: "Diese Frage gibt es nicht mehr. Der Assistent kann noch einmal fragen.",
    },
  },
  failed: "Das hat nicht geklappt",
  failedText: "Schließen Sie dieses Fenster und öffnen Sie den Link des Assistenten noch einmal.",
  error: "Fehler",
};

const french: ApprovalTexts = {
  language: "fr",
  title: "Autoriser cette action ?",
  intro:
    "Un assistant qui agit pour vous souhaite effectuer cette modification. Rien n’a encore été modifié. N’autorisez que si c’est exactement ce que vous voulez.",
  destructive: "Cela peut supprimer ou remplacer des données.",
  tainted:
    "L’assistant a lu des textes que d’autres ont pu écrire et qui ont pu l’amener à cette action.",
  origin: (text, tool) => `« ${text} » vient de ${tool}, pas de vous.`,
  forWhom: "Pour",
  service: "Service",
  account: "Compte",
  tool: "Outil",
  left: "Temps restant",
  asked: "Ce que l’assistant a demandé",
  nothingAsked: "Rien de plus",
  sent: "Ce qui serait envoyé",
  methods: {
    read: "Lit quelque chose",
    add: "Ajoute ou envoie quelque chose",
    change: "Modifie quelque chose",
    remove: "Supprime quelque chose",
    other: "Envoie une requête",
  },
  inside: "Modifie ce qui est enregistré pour votre connexion, ou lance un autre outil",
  address: "Adresse",
  query: "Avec",
  content: "Contenu",
  cut: "Seul le début est affiché.",
  noText: "Le contenu n’est pas du texte.",
  further: "Autres détails",
  after: "Ce que l’outil fait après cette requête, il le fait sans redemander.",
  approve: "Autoriser",
  deny: "Ne pas autoriser",
  states: {
    approved: {
      title: "Autorisé",
      text: "Revenez à l’assistant. Vous pouvez fermer cette fenêtre.",
    },
    denied: {
      title: "Non autorisé",
      text: "Rien n’a été modifié, et l’assistant en est informé. Vous pouvez fermer cette fenêtre.",
    },
    used: { title: "Déjà fait", text: "C’était autorisé, et l’assistant l’a fait." },
    expired: {
      title: "Trop tard",
      text: "Cette question a expiré et rien n’a été modifié. L’assistant peut la poser à nouveau.",
    },
    missing: {
      title: "Rien à autoriser ici",
      text: "Cette question n’existe plus. L’assistant peut la poser à nouveau.",
    },
  },
  failed: "Cela n’a pas fonctionné",
  failedText: "Fermez cette fenêtre et ouvrez à nouveau le lien de l’assistant.",
  error: "Erreur",
};

const spanish: ApprovalTexts = {
  language: "es",
  title: "¿Permitir esto?",
  intro:
    "Un asistente que actúa por usted quiere hacer este cambio. Todavía no se ha cambiado nada. Permítalo solo si quiere exactamente esto.",
  destructive: "Esto puede eliminar o sobrescribir datos.",
  tainted:
    "El asistente ha leído textos que otros pueden haber escrito y que pueden haberlo llevado a esto.",
  origin: (text, tool) => `«${text}» viene de ${tool}, no de usted.`,
  forWhom: "Para",
  service: "Servicio",
  account: "Cuenta",
  tool: "Herramienta",
  left: "Tiempo restante",
  asked: "Lo que ha pedido el asistente",
  nothingAsked: "Nada más",
  sent: "Lo que se enviaría",
  methods: {
    read: "Lee algo",
    add: "Añade o envía algo",
    change: "Cambia algo",
    remove: "Elimina algo",
    other: "Envía una solicitud",
  },
  inside: "Cambia lo que está guardado para su conexión o inicia otra herramienta",
  address: "Dirección",
  query: "Con",
  content: "Contenido",
  cut: "Solo se muestra el principio.",
  noText: "El contenido no es texto.",
  further: "Más detalles",
  after: "Lo que la herramienta hace después de esta solicitud, lo hace sin volver a preguntar.",
  approve: "Permitir",
  deny: "No permitir",
  states: {
    approved: { title: "Permitido", text: "Vuelva al asistente. Puede cerrar esta ventana." },
    denied: {
      title: "No permitido",
      text: "No se ha cambiado nada y el asistente queda informado. Puede cerrar esta ventana.",
    },
    used: { title: "Ya está hecho", text: "Se permitió y el asistente lo ha hecho." },
    expired: {
      title: "Demasiado tarde",
      text: "Esta pregunta ha caducado y no se ha cambiado nada. El asistente puede volver a preguntar.",
    },
    missing: {
      title: "Aquí no hay nada que permitir",
      text: "Esta pregunta ya no existe. El asistente puede volver a preguntar.",
    },
  },
  failed: "No ha funcionado",
  failedText: "Cierre esta ventana y abra de nuevo el enlace del asistente.",
  error: "Error",
};

const japanese: ApprovalTexts = {
  language: "ja",
  title: "許可しますか？",
  intro:
    "あなたの代わりに動作するアシスタントが、次の変更を行おうとしています。まだ何も変更されていません。この内容で間違いない場合にのみ許可してください。",
  destructive: "データが削除または上書きされる可能性があります。",
  tainted:
    "アシスタントは、他の人が書いた可能性のある文章を読んでおり、その影響を受けた可能性があります。",
  origin: (text, tool) => `「${text}」は ${tool} に由来し、あなたが入力したものではありません。`,
  forWhom: "対象のユーザー",
  service: "サービス",
  account: "アカウント",
  tool: "ツール",
  left: "残り時間",
  asked: "アシスタントの依頼内容",
  nothingAsked: "指定なし",
  sent: "送信される内容",
  methods: {
    read: "読み取ります",
    add: "追加または送信します",
    change: "変更します",
    remove: "削除します",
    other: "リクエストを送信します",
  },
  inside: "接続に保存されている内容を変更するか、別のツールを開始します",
  address: "アドレス",
  query: "条件",
  content: "本文",
  cut: "先頭のみ表示しています。",
  noText: "本文はテキストではありません。",
  further: "その他の詳細",
  after: "このリクエストの後にツールが行うことは、再度の確認なしに行われます。",
  approve: "許可する",
  deny: "許可しない",
  states: {
    approved: {
      title: "許可しました",
      text: "アシスタントに戻ってください。このウィンドウは閉じてかまいません。",
    },
    denied: {
      title: "許可しませんでした",
      text: "何も変更されず、アシスタントに伝えられます。このウィンドウは閉じてかまいません。",
    },
    used: { title: "実行済みです", text: "許可され、アシスタントが実行しました。" },
    expired: {
      title: "期限切れです",
      text: "この確認は期限が切れ、何も変更されていません。アシスタントはもう一度確認できます。",
    },
    missing: {
      title: "許可するものはありません",
      text: "この確認はもうありません。アシスタントはもう一度確認できます。",
    },
  },
  failed: "うまくいきませんでした",
  failedText: "このウィンドウを閉じ、アシスタントのリンクをもう一度開いてください。",
  error: "エラー",
};

export const approvalLanguages: readonly [ApprovalTexts, ...ApprovalTexts[]] = [
  english,
  german,
  french,
  spanish,
  japanese,
];
