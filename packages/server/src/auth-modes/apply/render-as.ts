import { TemplateError } from "@jackfield/catalogue";
import { AppError } from "#foundation";

interface Failure {
  readonly code: AppError["code"];
  /** What cannot be done without the value that is missing, as a clause. */
  readonly what: string;
}

/** Fills in templates of an entry; a value that is missing or does not fit is an error of this code. */
export function renderAs<Result>({ code, what }: Failure, render: () => Result): Result {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new AppError(code, `${what}: ${error.message}.`, { cause: error });
  }
}
